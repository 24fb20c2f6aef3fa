# What `make install` puts where. <prefix>/lib/heddle is a CUDA toolkit's folder with everything that programs
# are compiled and linked with; outside of it there are only the command and the CMake package.
set(toolkit_destination lib/heddle)
install(TARGETS heddle RUNTIME DESTINATION bin)
install(TARGETS cudadevrt ARCHIVE DESTINATION ${toolkit_destination}/lib64)
foreach(library heddle_jit heddle_compiler heddle_clang_plugin heddle_driver_library cudart cudart_static cuda cupti nvidia-ml)
  if(TARGET ${library})
    install(TARGETS ${library}
      LIBRARY DESTINATION ${toolkit_destination}/lib64
      ARCHIVE DESTINATION ${toolkit_destination}/lib64)
  endif()
endforeach()
install(TARGETS heddle-clang RUNTIME DESTINATION ${toolkit_destination}/bin)
if(TARGET heddle-devices)
  install(TARGETS heddle-devices heddle-form heddle-replay RUNTIME DESTINATION ${toolkit_destination}/bin)
endif()
# gdb loads it with the library beside which it lies.
install(FILES ${CMAKE_SOURCE_DIR}/src/device/heddle_gdb.py DESTINATION ${toolkit_destination}/lib64
  RENAME libheddle_driver.so-gdb.py)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/ DESTINATION ${toolkit_destination}/include
  PATTERN CMakeLists.txt EXCLUDE)

file(REMOVE_RECURSE ${CMAKE_CURRENT_BINARY_DIR}/absent) # what is there now may have been absent before
absent_libraries(${CMAKE_CURRENT_BINARY_DIR}/absent)
install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/absent/ DESTINATION ${toolkit_destination}/lib64)
install(FILES ${CMAKE_SOURCE_DIR}/docs/api_support.md ${CMAKE_SOURCE_DIR}/CHANGELOG.md DESTINATION share/doc/heddle)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION share/doc/heddle RENAME copyright)

# libcudart_static.a notes where it is. In a tarball it notes nothing, since that may be unpacked anywhere: then a program
# looks for the toolkit in other ways (src/runtime/static/forward.cpp). CPack installs into a folder of its own.
if(TARGET cudart_static)
  install(CODE "
    set(toolkit \${CMAKE_INSTALL_PREFIX}/${toolkit_destination})
    set(noted \${toolkit})
    if(CMAKE_INSTALL_PREFIX MATCHES \"/_CPack_Packages/.*/usr$\")
      set(noted /usr/${toolkit_destination})
    elseif(CMAKE_INSTALL_PREFIX MATCHES \"/_CPack_Packages/\")
      set(noted \"\")
    endif()
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/installed)
    file(MAKE_DIRECTORY \${folder})
    set(object \${folder}/toolkit_folder.cpp.o)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -O2 -fPIC \"-DHEDDLE_TOOLKIT_FOLDER=\\\"\${noted}\\\"\"
      -c ${CMAKE_SOURCE_DIR}/src/runtime/static/toolkit_folder.cpp -o \${object} COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${CMAKE_AR} r \"\$ENV{DESTDIR}\${toolkit}/lib64/libcudart_static.a\" \${object}
      COMMAND_ERROR_IS_FATAL ANY)
  ")
endif()

install(CODE "
  include(${CMAKE_CURRENT_SOURCE_DIR}/toolkit_layout.cmake)
  lay_out_toolkit(\"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${toolkit_destination}\" ${CMAKE_SYSTEM_PROCESSOR} \"\")
")

include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/HeddleConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_SOURCE_DIR}/cmake/HeddleConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/HeddleConfigVersion.cmake DESTINATION lib/cmake/Heddle)
