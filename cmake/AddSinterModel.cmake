# Compiles a model as part of a build. Comes with find_package(Sinter).
#
#   sinter_add_model(<target>
#     SOURCE <model.mlir>
#     [NAME <id>]               C prefix and header name; default: <target>
#     [TARGET <triple>|cuda]    default: what CMake builds for
#     [TARGET_CPU <cpu>]        default: sinterc's
#     [WEIGHTS EMBED|FILE <f>]  default: EMBED; <f> is relative to the current
#                               binary folder
#     [ENTRIES <name>...]       default: all
#     [OPTIONS <option>...])    further options of sinterc
#
# <target> is a static library made of the compiled object. It brings the folder
# of the header <id>.h and can be installed and exported:
#   install(TARGETS <target> EXPORT <set> FILE_SET HEADERS)
# The model is compiled again when its source, a file that this reads or sinterc
# changes.

# The triple to compile for, in the variable `result`.
function(_sinter_triple result)
  foreach(language C CXX)
    if(CMAKE_${language}_COMPILER_TARGET)
      set(${result} ${CMAKE_${language}_COMPILER_TARGET} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  if(CMAKE_SYSTEM_NAME STREQUAL Linux AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(${result} x86_64-linux-gnu PARENT_SCOPE)
    return()
  endif()
  message(FATAL_ERROR "sinter_add_model: no target triple is known for "
    "'${CMAKE_SYSTEM_NAME}' on '${CMAKE_SYSTEM_PROCESSOR}'; give TARGET <triple>")
endfunction()

function(sinter_add_model target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "SOURCE;NAME;TARGET;TARGET_CPU"
    "WEIGHTS;ENTRIES;OPTIONS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "sinter_add_model: unknown argument '${ARG_UNPARSED_ARGUMENTS}'; "
      "valid: SOURCE NAME TARGET TARGET_CPU WEIGHTS ENTRIES OPTIONS")
  endif()
  if(NOT ARG_SOURCE)
    message(FATAL_ERROR "sinter_add_model(${target}): SOURCE is missing")
  endif()
  cmake_path(ABSOLUTE_PATH ARG_SOURCE BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE source)
  if(NOT ARG_NAME)
    set(ARG_NAME ${target})
  endif()
  if(NOT ARG_TARGET)
    _sinter_triple(ARG_TARGET)
  endif()

  # A folder of its own: it becomes an include directory.
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.sinter)
  file(MAKE_DIRECTORY ${folder})
  set(object ${folder}/${ARG_NAME}.o)
  set(header ${folder}/${ARG_NAME}.h)
  set(depfile ${folder}/${ARG_NAME}.d)
  set(outputs ${object})
  set(command ${SINTER_COMPILER} ${source} -o ${object} --header=${header} --name=${ARG_NAME}
    --target=${ARG_TARGET} -MD -MF ${depfile} -MT ${object})
  if(ARG_TARGET_CPU)
    list(APPEND command --target-cpu=${ARG_TARGET_CPU})
  endif()
  foreach(entry IN LISTS ARG_ENTRIES)
    list(APPEND command --entry=${entry})
  endforeach()
  list(LENGTH ARG_WEIGHTS words)
  if(words EQUAL 2 AND ARG_WEIGHTS MATCHES "^FILE;")
    list(GET ARG_WEIGHTS 1 weights)
    cmake_path(ABSOLUTE_PATH weights BASE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    list(APPEND command --weights=${weights})
    list(APPEND outputs ${weights})
  elseif(ARG_WEIGHTS AND NOT ARG_WEIGHTS STREQUAL EMBED)
    message(FATAL_ERROR "sinter_add_model(${target}): WEIGHTS is EMBED or FILE <name>, not '${ARG_WEIGHTS}'")
  endif()

  # The header is a byproduct: where its bytes stay, so does its time, and nothing
  # that includes it is compiled again.
  add_custom_command(
    OUTPUT ${outputs}
    BYPRODUCTS ${header}
    COMMAND ${command} ${ARG_OPTIONS}
    DEPENDS ${source} ${SINTER_COMPILER}
    DEPFILE ${depfile}
    COMMENT "Compiling model ${ARG_NAME}"
    VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set_source_files_properties(${header} PROPERTIES GENERATED TRUE)
  # A real library, never an imported one, so that it can be installed.
  add_library(${target} STATIC ${object})
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(C IN_LIST languages)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
  else()
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  endif()
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${folder} FILES ${header})
endfunction()
