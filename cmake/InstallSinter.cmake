# What `cmake --install` copies: the compiler, the C headers, the runtime's
# sources and the CMake package. None of it needs LLVM's or MLIR's CMake files.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Sinter)

# The tools use the system's LLVM, which is on no default path.
set_target_properties(sinterc sinter-opt sinter-run PROPERTIES INSTALL_RPATH ${LLVM_LIBRARY_DIRS})
install(TARGETS sinterc sinter-opt sinter-run RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/sinter-c/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sinter-c
  FILES_MATCHING PATTERN "*.h")
install(FILES lib/Runtime/cuda_driver.c lib/Runtime/thread_pool.c
  DESTINATION ${CMAKE_INSTALL_DATADIR}/sinter/runtime)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/sinter)

configure_package_config_file(cmake/SinterConfig.cmake.in
  ${PROJECT_BINARY_DIR}/SinterConfig.cmake
  INSTALL_DESTINATION ${package_folder})
# The compiled models are for whatever target they are asked for, so the package
# serves a project of any pointer size.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/SinterConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES
  ${PROJECT_BINARY_DIR}/SinterConfig.cmake
  ${PROJECT_BINARY_DIR}/SinterConfigVersion.cmake
  cmake/AddSinterModel.cmake
  DESTINATION ${package_folder})
