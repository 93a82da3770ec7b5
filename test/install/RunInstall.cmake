# cmake -DBUILD=<Sinter's build> -DSOURCE=<Sinter's source> -DWORK=<folder> -P RunInstall.cmake
# Installs Sinter and builds the outside project with it, as a user would.
set(ENV{CMAKE_GENERATOR} Ninja)

# run(<what it shows> COMMAND...): the output is in the variable `output`.
function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what} failed (${result}):\n${output}")
  endif()
  message(STATUS "${what}")
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect what)
  if(NOT output MATCHES "${what}")
    message(FATAL_ERROR "expected '${what}' in:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
set(prefix ${WORK}/prefix)
set(project ${WORK}/project)
run("install" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

# A copy, because the test touches its files.
file(COPY ${SOURCE}/test/install/ DESTINATION ${project})
set(stories ${SOURCE}/docs/examples/stories)
file(COPY ${stories}/stories.mlir ${stories}/stories.safetensors ${stories}/main.c
  DESTINATION ${project})
run("configure" ${CMAKE_COMMAND} -S ${project} -B ${WORK}/build
  -DCMAKE_C_COMPILER=gcc -DSinter_ROOT=${prefix})
run("build" ${CMAKE_COMMAND} --build ${WORK}/build)
run("run" ${WORK}/build/tell ${stories}/tok512.bin)
file(READ ${stories}/expected.txt expected)
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "the story differs:\n${output}")
endif()

run("run with workers" ${WORK}/build/threaded)

run("build again" ${CMAKE_COMMAND} --build ${WORK}/build)
expect("no work to do")
file(TOUCH ${project}/stories.safetensors)
run("build with newer weights" ${CMAKE_COMMAND} --build ${WORK}/build)
expect("Compiling model stories")
if(output MATCHES "main.c|narrator.c")
  message(FATAL_ERROR "newer weights compiled more than the model:\n${output}")
endif()
run("build again" ${CMAKE_COMMAND} --build ${WORK}/build)
expect("no work to do")

run("install the project" ${CMAKE_COMMAND} --install ${WORK}/build --prefix ${WORK}/outside)
run("configure its consumer" ${CMAKE_COMMAND} -S ${project}/consumer -B ${WORK}/consumer
  -DCMAKE_C_COMPILER=gcc -Doutside_ROOT=${WORK}/outside)
run("build its consumer" ${CMAKE_COMMAND} --build ${WORK}/consumer)
run("run its consumer" ${WORK}/consumer/consumer)
expect("needs [1-9][0-9]* bytes")

execute_process(COMMAND ${CMAKE_COMMAND} -S ${project} -B ${WORK}/wrong
  -DCMAKE_C_COMPILER=gcc -DSinter_ROOT=${prefix} -DSINTER_COMPILER=/nowhere/sinterc
  RESULT_VARIABLE result ERROR_VARIABLE output OUTPUT_QUIET)
expect("there is no '/nowhere/sinterc'")
