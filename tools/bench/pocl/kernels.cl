// SPDX-License-Identifier: Apache-2.0
// The six kernels in OpenCL, line for line those of kernels.cu.
__kernel void vectorAdd(__global const float* a, __global const float* b, __global float* c, int n) {
  int i = get_global_id(0);
  if (i < n) c[i] = a[i] + b[i];
}
__kernel void stencil(__global const float* in, __global float* out, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  int at = y * n + x;
  out[at] = 0.2f * (in[at] + in[at - 1] + in[at + 1] + in[at - n] + in[at + n]);
}
__kernel void matrixProduct(__global const float* a, __global const float* b, __global float* c, int n) {
  __local float tileA[TILE][TILE], tileB[TILE][TILE];
  int x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (int m = 0; m < n; m += TILE) {
    tileA[y][x] = a[row * n + m + x];
    tileB[y][x] = b[(m + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; ++k) sum += tileA[y][k] * tileB[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
__kernel void reduction(__global const float* in, __global float* out) {
  __local float part[BLOCK];
  int t = get_local_id(0);
  part[t] = in[get_group_id(0) * BLOCK + t];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = BLOCK / 2; d > 0; d /= 2) {
    if (t < d) part[t] += part[t + d];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = part[0];
}
__kernel void histogram(__global const int* in, __global int* bins, int n) {
  __local int own[BINS];
  int t = get_local_id(0);
  own[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_add(&own[in[i] & (BINS - 1)], 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[t], own[t]);
}
__kernel void bodies(__global const float4* at, __global float4* force, int n) {
  __local float4 tile[BLOCK];
  int i = get_global_id(0), t = get_local_id(0);
  float4 own = at[i];
  float x = 0, y = 0, z = 0;
  for (int first = 0; first < n; first += BLOCK) {
    tile[t] = at[first + t];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < BLOCK; ++k) {
      float4 other = tile[k];
      float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
      float inverse = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
      float pull = other.w * inverse * inverse * inverse;
      x += dx * pull, y += dy * pull, z += dz * pull;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  force[i] = (float4)(x, y, z, 0);
}
