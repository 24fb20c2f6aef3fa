# find_package(Heddle) for projects that want Heddle by name. Before project() or enable_language(CUDA) it
# makes Heddle the CUDA compiler, unless CMAKE_CUDA_COMPILER names another one already; afterwards
# enable_language(CUDA) and find_package(CUDAToolkit) work as with NVIDIA's toolkit.
#
#   Heddle_ROOT_DIR       the folder that stands for a CUDA toolkit
#   Heddle_NVCC           the compiler
#   Heddle::headers       the CUDA headers, for plain C and C++
#   Heddle::cudart, Heddle::cudart_static
get_filename_component(Heddle_ROOT_DIR "${CMAKE_CURRENT_LIST_DIR}/../../heddle" ABSOLUTE)
set(Heddle_NVCC "${Heddle_ROOT_DIR}/bin/nvcc")

if(NOT CMAKE_CUDA_COMPILER)
  set(CMAKE_CUDA_COMPILER "${Heddle_NVCC}" CACHE FILEPATH "CUDA compiler")
endif()
if(NOT CUDAToolkit_ROOT)
  set(CUDAToolkit_ROOT "${Heddle_ROOT_DIR}" CACHE PATH "CUDA toolkit")
endif()

if(NOT TARGET Heddle::headers)
  add_library(Heddle::headers INTERFACE IMPORTED)
  set_target_properties(Heddle::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Heddle_ROOT_DIR}/include")

  add_library(Heddle::cudart SHARED IMPORTED)
  set_target_properties(Heddle::cudart PROPERTIES
    IMPORTED_LOCATION "${Heddle_ROOT_DIR}/lib64/libcudart.so"
    INTERFACE_LINK_LIBRARIES Heddle::headers)

  add_library(Heddle::cudart_static STATIC IMPORTED)
  set_target_properties(Heddle::cudart_static PROPERTIES
    IMPORTED_LOCATION "${Heddle_ROOT_DIR}/lib64/libcudart_static.a"
    IMPORTED_LINK_INTERFACE_LANGUAGES CXX
    INTERFACE_LINK_LIBRARIES "Heddle::headers;pthread;dl;rt")
endif()
