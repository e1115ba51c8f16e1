// SPDX-License-Identifier: Apache-2.0
/// Runs kernels.cl (the first argument) on the first OpenCL device whose platform's name begins with the second argument.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "cases.h"

namespace {

void check(cl_int error, const char* what) {
  if (error == CL_SUCCESS) return;
  std::fprintf(stderr, "%s: OpenCL error %d\n", what, error);
  std::exit(1);
}

cl_device_id deviceOf(const char* wanted) {
  cl_platform_id platforms[8];
  cl_uint count = 0;
  check(clGetPlatformIDs(8, platforms, &count), "platforms");
  for (cl_uint i = 0; i < count; ++i) {
    char name[128] = {};
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
    cl_device_id device = nullptr;
    if (std::strncmp(name, wanted, std::strlen(wanted)) == 0 && clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, nullptr) == CL_SUCCESS)
      return device;
  }
  std::fprintf(stderr, "no OpenCL platform %s\n", wanted);
  std::exit(1);
}

struct Machine {
  cl_context context;
  cl_command_queue queue;
  cl_program program;

  template <typename T>
  cl_mem device(const std::vector<T>& values) const {
    return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(T), const_cast<T*>(values.data()), nullptr);
  }
  template <typename T>
  std::vector<T> host(cl_mem memory, size_t count) const {
    std::vector<T> values(count);
    check(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, count * sizeof(T), values.data(), 0, nullptr, nullptr), "reading");
    return values;
  }
  template <typename... Values>
  auto launcher(const char* name, unsigned dimensions, const size_t (&global)[2], const size_t (&local)[2], const Values&... values) const {
    cl_kernel kernel = clCreateKernel(program, name, nullptr);
    cl_uint index = 0;
    (check(clSetKernelArg(kernel, index++, sizeof values, &values), name), ...);
    return [=, queue = queue] {
      check(clEnqueueNDRangeKernel(queue, kernel, dimensions, nullptr, global, local, 0, nullptr, nullptr), name);
      clFinish(queue);
    };
  }
};

Machine open(const char* source, const char* platform) {
  std::ifstream file(source);
  std::stringstream text;
  text << file.rdbuf();
  const std::string code = text.str();
  const char* lines = code.c_str();
  cl_device_id device = deviceOf(platform);
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  cl_program program = clCreateProgramWithSource(context, 1, &lines, nullptr, nullptr);
  const std::string options = "-DTILE=" + std::to_string(kTile) + " -DBLOCK=" + std::to_string(kBlock) + " -DBINS=" + std::to_string(kBins);
  check(clBuildProgram(program, 1, &device, options.c_str(), nullptr, nullptr), "building");
  return {context, clCreateCommandQueue(context, device, 0, nullptr), program};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const Machine m = open(argv[1], argv[2]);
  std::vector<float> values(kVector);
  std::vector<int> numbers(kVector);
  for (int i = 0; i < kVector; ++i) values[i] = input(i), numbers[i] = number(i);
  const cl_mem a = m.device(values), b = m.device(values), c = m.device(values), in = m.device(numbers), bins = m.device(std::vector<int>(kBins));
  const size_t line[2] = {kVector, 1}, block[2] = {kBlock, 1}, plane[2] = {kPlane, kPlane}, rows[2] = {32, 8}, square[2] = {kMatrix, kMatrix},
               tile[2] = {kTile, kTile}, some[2] = {64 * kBins, 1}, all[2] = {kBodies, 1};
  measure("vector_add", m.launcher("vectorAdd", 1, line, block, a, b, c, kVector), [&] { return total(m.host<float>(c, kVector)); });
  measure("stencil", m.launcher("stencil", 2, plane, rows, a, c, kPlane), [&] { return total(m.host<float>(c, kPlane * kPlane)); });
  measure("matrix_product", m.launcher("matrixProduct", 2, square, tile, a, b, c, kMatrix), [&] { return total(m.host<float>(c, kMatrix * kMatrix)); });
  measure("reduction", m.launcher("reduction", 1, line, block, a, c), [&] { return total(m.host<float>(c, kVector / kBlock)); });
  measure("histogram", m.launcher("histogram", 1, some, block, in, bins, kVector), [&] { return 1.0 * m.host<int>(bins, kBins)[7]; });
  measure("n_body", m.launcher("bodies", 1, all, block, a, c, kBodies), [&] { return total(m.host<float>(c, kBodies * 4)); });
}
