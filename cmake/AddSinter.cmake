# add_sinter_library(<name> SOURCES ... [DEPENDS ...] [LINK_OWN ...] [LINK_MLIR ...] [LINK_COMPONENTS ...])
#   DEPENDS          tablegen targets (...IncGen)
#   LINK_OWN         this project's libraries
#   LINK_MLIR        MLIR libraries; all become libMLIR.so when MLIR_LINK_MLIR_DYLIB is on
#   LINK_COMPONENTS  LLVM components; all become libLLVM.so when LLVM_LINK_LLVM_DYLIB is on
function(add_sinter_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK_OWN;LINK_MLIR;LINK_COMPONENTS" ${ARGN})
  add_mlir_library(${name} ${ARG_SOURCES}
    EXCLUDE_FROM_LIBMLIR DISABLE_INSTALL
    DEPENDS ${ARG_DEPENDS}
    LINK_COMPONENTS ${ARG_LINK_COMPONENTS}
    LINK_LIBS PUBLIC ${ARG_LINK_OWN})
  mlir_target_link_libraries(${name} PUBLIC ${ARG_LINK_MLIR})
  sinter_reuse_pch(${name})
endfunction()

# add_sinter_tool(<name> SOURCES ... [LINK_OWN ...] [LINK_MLIR ...] [LINK_COMPONENTS ...])
function(add_sinter_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK_OWN;LINK_MLIR;LINK_COMPONENTS" ${ARGN})
  set(LLVM_LINK_COMPONENTS Support ${ARG_LINK_COMPONENTS})
  add_llvm_executable(${name} ${ARG_SOURCES})
  llvm_update_compile_flags(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_OWN})
  mlir_target_link_libraries(${name} PRIVATE ${ARG_LINK_MLIR})
  mlir_check_all_link_libraries(${name})
  sinter_reuse_pch(${name})
endfunction()

# One precompiled header for every target; declared once, reused everywhere.
function(sinter_declare_pch)
  file(WRITE ${CMAKE_BINARY_DIR}/pch.cpp "// Only here to carry the precompiled header.\n")
  add_library(sinter_pch OBJECT ${CMAKE_BINARY_DIR}/pch.cpp)
  llvm_update_compile_flags(sinter_pch)
  target_precompile_headers(sinter_pch PRIVATE ${ARGN})
endfunction()

function(sinter_reuse_pch name)
  if(NOT TARGET sinter_pch)
    return()
  endif()
  # add_mlir_library may split a library in <name> and obj.<name>.
  foreach(target ${name} obj.${name})
    if(TARGET ${target})
      target_precompile_headers(${target} REUSE_FROM sinter_pch)
    endif()
  endforeach()
endfunction()
