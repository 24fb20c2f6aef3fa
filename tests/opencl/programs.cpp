// REQUIRES: opencl
// RUN: %opencl %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs: logs, options, headers, compile and link, libraries, binaries; what kernels say of themselves; and the codes of
// what is wrong.
#include "opencl_test.h"

#include <cstring>

static cl_program make(Machine &m, const char *source) {
  cl_program program = clCreateProgramWithSource(m.context, 1, &source, nullptr, &m.code);
  OK(m.code);
  return program;
}

static int result(Machine &m, cl_program program, const char *name = "give") {
  cl_mem out = m.buffer(std::vector<int>(1));
  cl_kernel kernel = m.kernel(program, name);
  setArguments(kernel, out);
  m.run(kernel, {1});
  return m.read<int>(out)[0];
}

static void logs(Machine &m) {
  cl_program bad = make(m, "kernel void k(global int *a) {\n  a[0] = nothing;\n}\n");
  CHECK_CODE(clBuildProgram(bad, 0, nullptr, "", nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  CHECK(m.log(bad).find("program.cl:2:10: error: use of undeclared identifier 'nothing'") !=
        std::string::npos);
  cl_build_status status;
  OK(clGetProgramBuildInfo(bad, m.device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status,
                           nullptr));
  CHECK(status == CL_BUILD_ERROR);
  CHECK_CODE(clBuildProgram(bad, 0, nullptr, "-cl-nonsense", nullptr, nullptr),
             CL_INVALID_BUILD_OPTIONS);
  cl_program missing = make(m, "int f(int); kernel void k(global int *a) { a[0] = f(1); }");
  CHECK_CODE(clBuildProgram(missing, 0, nullptr, "", nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  CHECK(m.log(missing).find("'f'") != std::string::npos);
  cl_program recursive = make(m, "int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); } kernel "
                                 "void k(global int *a) { *a = f(*a); }");
  CHECK_CODE(clBuildProgram(recursive, 0, nullptr, "", nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
  CHECK(m.log(recursive).find("function 'f' is recursive, which OpenCL C does not allow") !=
        std::string::npos);
  cl_program macro =
      make(m, "kernel void give(global int *a) { *a = VALUE + __OPENCL_C_VERSION__; }");
  OK(clBuildProgram(macro, 0, nullptr, " -D VALUE=1000 -cl-std=CL2.0 -cl-fast-relaxed-math -w",
                    nullptr, nullptr));
  CHECK(result(m, macro) == 1200);
  cl_program loose = make(
      m, "kernel void give(global int *a) { local ushort __attribute__((aligned(8))) t[8];"
         " local uint2 *p = t; int n = a; p[0] = (uint2)(7 << 16, 0); *a = t[1] + (n != n); }");
  OK(clBuildProgram(loose, 0, nullptr, "", nullptr,
                    nullptr)); // as compilers of its time take it, with warnings
  CHECK(m.log(loose).find("warning: incompatible pointer") != std::string::npos &&
        result(m, loose) == 7);
  static int called = 0;
  cl_program notified = make(m, "kernel void give(global int *a) { *a = 3; }");
  OK(clBuildProgram(
      notified, 1, &m.device, nullptr, [](cl_program, void *data) { ++*static_cast<int *>(data); },
      &called));
  CHECK(called == 1 && result(m, notified) == 3);
}

static void linking(Machine &m) {
  cl_program header = make(m, "int helper(int);\n#define FACTOR 7\n");
  cl_program user =
      make(m, "#include \"sub/helper.h\"\nkernel void give(global int *a) { *a = helper(6); }");
  cl_program helper = make(m, "#include <sub/helper.h>\nint helper(int x) { return x * FACTOR; }");
  const char *name = "sub/helper.h";
  for (cl_program program : {user, helper})
    OK(clCompileProgram(program, 0, nullptr, "", 1, &header, &name, nullptr, nullptr));
  CHECK_CODE((clCreateKernel(user, "give", &m.code), m.code), CL_INVALID_PROGRAM_EXECUTABLE);
  cl_program library = clLinkProgram(m.context, 0, nullptr, "-create-library", 1, &helper, nullptr,
                                     nullptr, &m.code);
  OK(m.code);
  cl_program both[] = {user, library};
  cl_program linked = clLinkProgram(m.context, 0, nullptr, "", 2, both, nullptr, nullptr, &m.code);
  OK(m.code);
  CHECK(result(m, linked) == 42);
  cl_program_binary_type type;
  OK(clGetProgramBuildInfo(library, m.device, CL_PROGRAM_BINARY_TYPE, sizeof(type), &type,
                           nullptr));
  CHECK(type == CL_PROGRAM_BINARY_TYPE_LIBRARY);

  size_t size = 0;
  OK(clGetProgramInfo(linked, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, nullptr));
  std::vector<unsigned char> bytes(size);
  unsigned char *place = bytes.data();
  OK(clGetProgramInfo(linked, CL_PROGRAM_BINARIES, sizeof(place), &place, nullptr));
  const unsigned char *binary = bytes.data();
  cl_int status;
  cl_program loaded =
      clCreateProgramWithBinary(m.context, 1, &m.device, &size, &binary, &status, &m.code);
  OK(m.code);
  CHECK_CODE((clCreateKernel(loaded, "give", &m.code), m.code), CL_INVALID_PROGRAM_EXECUTABLE);
  OK(clBuildProgram(loaded, 0, nullptr, "", nullptr, nullptr));
  CHECK(result(m, loaded) == 42);
  const cl_device_id twice[] = {m.device, m.device};
  const size_t sizes[] = {size, size};
  const unsigned char *binaries[] = {binary, binary};
  CHECK_CODE(
      (clCreateProgramWithBinary(m.context, 2, twice, sizes, binaries, nullptr, &m.code), m.code),
      CL_INVALID_DEVICE);
  for (size_t i = 0; i < size; i += 97) { // damaged
    bytes[i] ^= 1;
    clCreateProgramWithBinary(m.context, 1, &m.device, &size, &binary, &status, &m.code);
    CHECK(m.code == CL_INVALID_BINARY && status == CL_INVALID_BINARY);
    bytes[i] ^= 1;
  }
}

static void facts(Machine &m) {
  cl_program program =
      m.build("kernel __attribute__((reqd_work_group_size(8, 2, 1))) void first(global const "
              "float4 *restrict a,"
              " local int *b, constant uchar *c, int d, volatile global short *e) { b[0] = d; e[0] "
              "= a[0].x + c[0] + b[0]; }\n"
              "kernel void second() { local float tile[100]; tile[get_local_id(0)] = 1; "
              "barrier(1); if (tile[99 - get_local_id(0)] == 2) printf(\"?\"); }");
  char text[100];
  OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(text), text, nullptr));
  CHECK(!std::strcmp(text, "first;second"));
  cl_kernel first = m.kernel(program, "first"), second = m.kernel(program, "second");
  const char *types[] = {"float4*", "int*", "uchar*", "int", "short*"},
             *names[] = {"a", "b", "c", "d", "e"};
  const cl_uint spaces[] = {CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_LOCAL,
                            CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ADDRESS_PRIVATE,
                            CL_KERNEL_ARG_ADDRESS_GLOBAL};
  const cl_bitfield qualifiers[] = {CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT, 0,
                                    CL_KERNEL_ARG_TYPE_CONST, 0, CL_KERNEL_ARG_TYPE_VOLATILE};
  for (cl_uint i = 0; i < 5; ++i) {
    OK(clGetKernelArgInfo(first, i, CL_KERNEL_ARG_TYPE_NAME, sizeof(text), text, nullptr));
    CHECK(!std::strcmp(text, types[i]));
    OK(clGetKernelArgInfo(first, i, CL_KERNEL_ARG_NAME, sizeof(text), text, nullptr));
    CHECK(!std::strcmp(text, names[i]));
    cl_uint space;
    OK(clGetKernelArgInfo(first, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(space), &space,
                          nullptr));
    cl_bitfield qualifier;
    OK(clGetKernelArgInfo(first, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(qualifier), &qualifier,
                          nullptr));
    CHECK(space == spaces[i] && qualifier == qualifiers[i]);
  }
  cl_program stored =
      m.build("global long Total; global int Table[5]; kernel void k(global int *a) {\n"
              "  static global int calls; a[0] = Table[calls++] + Total++; }");
  size_t total = 0;
  OK(clGetProgramBuildInfo(stored, m.device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE,
                           sizeof(total), &total, nullptr));
  CHECK(total == 32);
  size_t shape[3];
  OK(clGetKernelWorkGroupInfo(first, m.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(shape),
                              shape, nullptr));
  CHECK(shape[0] == 8 && shape[1] == 2 && shape[2] == 1);
  OK(clGetKernelInfo(first, CL_KERNEL_ATTRIBUTES, sizeof(text), text, nullptr));
  CHECK(!std::strcmp(text, "reqd_work_group_size(8,2,1)"));
  cl_ulong bytes;
  OK(clSetKernelArg(first, 1, 40, nullptr));
  OK(clGetKernelWorkGroupInfo(first, m.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(bytes), &bytes,
                              nullptr));
  CHECK(bytes == 40);
  OK(clGetKernelWorkGroupInfo(second, m.device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof(bytes), &bytes,
                              nullptr));
  CHECK(bytes == 400);

  size_t one = 1;
  int number = 1;
  CHECK_CODE(clEnqueueNDRangeKernel(m.queue, first, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
             CL_INVALID_KERNEL_ARGS);
  CHECK_CODE(clSetKernelArg(first, 9, 4, &number), CL_INVALID_ARG_INDEX);
  CHECK_CODE(clSetKernelArg(first, 3, 8, &number), CL_INVALID_ARG_SIZE);
  CHECK_CODE(clSetKernelArg(first, 3, 4, nullptr), CL_INVALID_ARG_VALUE);
  CHECK_CODE(clSetKernelArg(first, 1, 4, &number), CL_INVALID_ARG_VALUE);
  CHECK_CODE(clSetKernelArg(first, 1, 0, nullptr), CL_INVALID_ARG_SIZE);
  CHECK_CODE((clCreateKernel(program, "third", &m.code), m.code), CL_INVALID_KERNEL_NAME);
  CHECK_CODE(
      clEnqueueNDRangeKernel(m.queue, second, 4, nullptr, &one, nullptr, 0, nullptr, nullptr),
      CL_INVALID_WORK_DIMENSION);
  size_t many = 2048;
  CHECK_CODE(clEnqueueNDRangeKernel(m.queue, second, 1, nullptr, &many, &many, 0, nullptr, nullptr),
             CL_INVALID_WORK_GROUP_SIZE);
  CHECK_CODE(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_INVALID_OPERATION);
}

static void wrongHandles(Machine &m) {
  cl_mem memory = m.buffer(std::vector<int>(4));
  int word;
  CHECK_CODE(clFinish(nullptr), CL_INVALID_COMMAND_QUEUE);
  CHECK_CODE(clRetainContext(nullptr), CL_INVALID_CONTEXT);
  CHECK_CODE(clReleaseMemObject(nullptr), CL_INVALID_MEM_OBJECT);
  CHECK_CODE(clEnqueueReadBuffer(m.queue, memory, CL_TRUE, 0, 17, &word, 0, nullptr, nullptr),
             CL_INVALID_VALUE);
  CHECK_CODE(clEnqueueReadBuffer(m.queue, memory, CL_TRUE, 0, 4, nullptr, 0, nullptr, nullptr),
             CL_INVALID_VALUE);
  CHECK_CODE(clEnqueueReadBuffer(m.queue, memory, CL_TRUE, 0, 4, &word, 1, nullptr, nullptr),
             CL_INVALID_EVENT_WAIT_LIST);
  CHECK_CODE(clWaitForEvents(0, nullptr), CL_INVALID_VALUE);
  clCreateBuffer(m.context, 0, 0, nullptr, &m.code);
  CHECK_CODE(m.code, CL_INVALID_BUFFER_SIZE);
  clCreateBuffer(m.context, CL_MEM_USE_HOST_PTR, 4, nullptr, &m.code);
  CHECK_CODE(m.code, CL_INVALID_HOST_PTR);
  clCreateBuffer(m.context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, nullptr, &m.code);
  CHECK_CODE(m.code, CL_INVALID_VALUE);
  CHECK_CODE(clGetDeviceInfo(m.device, 0, 4, &word, nullptr), CL_INVALID_VALUE);
  CHECK_CODE(clGetDeviceInfo(m.device, CL_DEVICE_TYPE, 1, &word, nullptr), CL_INVALID_VALUE);
  cl_mem closed = clCreateBuffer(m.context, CL_MEM_HOST_NO_ACCESS, 4, nullptr, &m.code);
  CHECK_CODE(clEnqueueWriteBuffer(m.queue, closed, CL_TRUE, 0, 4, &word, 0, nullptr, nullptr),
             CL_INVALID_OPERATION);
  std::string told;
  cl_context listener = clCreateContext(
      nullptr, 1, &m.device,
      [](const char *text, const void *, size_t, void *told) {
        *static_cast<std::string *>(told) = text;
      },
      &told, &m.code);
  OK(m.code);
  CHECK(!clCreateProgramWithIL(listener, "", 1, &m.code) && m.code == CL_INVALID_OPERATION);
  CHECK(told ==
        "clCreateProgramWithIL is not supported: there is no translator from SPIR-V for our LLVM");
  OK(clReleaseContext(listener));
  clCreatePipe(m.context, 0, 4, 4, nullptr, &m.code); // refused, as 3.0 allows
  CHECK_CODE(m.code, CL_INVALID_OPERATION);
  const cl_queue_properties onDevice[] = {
      CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  clCreateCommandQueueWithProperties(m.context, m.device, onDevice, &m.code);
  CHECK_CODE(m.code, CL_INVALID_QUEUE_PROPERTIES);
}

int main() {
  Machine m;
  logs(m);
  linking(m);
  facts(m);
  wrongHandles(m);
}
