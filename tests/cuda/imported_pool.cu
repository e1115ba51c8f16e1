// SPDX-License-Identifier: Apache-2.0
/// Two processes share a stream-ordered pool: one allocates and fills, the other imports and runs a kernel on it.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "check.h"

constexpr int kCount = 30000;
constexpr size_t kBytes = kCount * sizeof(float);

__global__ void use_imported(float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = out[i] * 2 + i % 10;
}

void sendFile(int socket, int file) {
  char byte = 0, space[CMSG_SPACE(sizeof(int))] = {};
  iovec data{&byte, 1};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &file, sizeof file);
  if (sendmsg(socket, &message, 0) != 1) std::exit(4);
}

int receiveFile(int socket) {
  char byte = 0, space[CMSG_SPACE(sizeof(int))] = {};
  iovec data{&byte, 1};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  if (recvmsg(socket, &message, 0) != 1 || !CMSG_FIRSTHDR(&message)) std::exit(4);
  int file = -1;
  std::memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
  return file;
}

cudaMemPool_t makePool() {
  cudaMemPool_t pool;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  properties.location.type = cudaMemLocationTypeDevice;
  RT(cudaMemPoolCreate(&pool, &properties));
  return pool;
}

void owner(int socket) {
  float* memory = nullptr;
  cudaMemPool_t pool = makePool();
  RT(cudaMallocFromPoolAsync(&memory, kBytes, pool, 0));
  std::vector<float> start(kCount, 1.5f);
  RT(cudaMemcpy(memory, start.data(), kBytes, cudaMemcpyHostToDevice));
  int file = -1;
  cudaMemPoolPtrExportData pointer{};
  RT(cudaMemPoolExportToShareableHandle(&file, pool, cudaMemHandleTypePosixFileDescriptor, 0));
  RT(cudaMemPoolExportPointer(&pointer, memory));
  sendFile(socket, file);
  if (write(socket, &pointer, sizeof pointer) != sizeof pointer) std::exit(4);
  int status = 1;
  wait(&status);
  std::printf("other process %d\n", status);
  printDeviceSum("imported pool", memory, kCount);
}

void importer(int socket) {
  const int file = receiveFile(socket);
  cudaMemPoolPtrExportData pointer{};
  if (read(socket, &pointer, sizeof pointer) != sizeof pointer) std::exit(4);
  cudaMemPool_t pool;
  float* memory = nullptr;
  RT(cudaMemPoolImportFromShareableHandle(&pool, reinterpret_cast<void*>(static_cast<intptr_t>(file)),
                                          cudaMemHandleTypePosixFileDescriptor, 0));
  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  RT(cudaMemPoolSetAccess(pool, &access, 1));
  void* imported = nullptr;
  RT(cudaMemPoolImportPointer(&imported, pool, &pointer));
  memory = static_cast<float*>(imported);
  use_imported<<<(kCount + 255) / 256, 256>>>(memory, kCount);
  RT(cudaDeviceSynchronize());
  RT(cudaFree(memory));
}

int main() {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return 4;
  if (fork() == 0) {
    importer(sockets[1]);
    return 0;
  }
  owner(sockets[0]);
  return 0;
}
