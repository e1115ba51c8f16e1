; Flags that change answers follow the noted command, whatever clang's own defaults are.
; RUN: %tool %s --kernel k --command "nvcc -c a.cu" | %FileCheck %s --check-prefix=NVCC
; RUN: %tool %s --kernel k --command "clang++ -c a.cu" | %FileCheck %s --check-prefix=CLANG
; RUN: %tool %s --kernel k --command "nvcc -use_fast_math" | %FileCheck %s --check-prefix=FAST
; RUN: %tool %s --kernel k --command "nvcc -prec-div=false" | %FileCheck %s --check-prefix=NODIV
; RUN: %tool %s --kernel k --command "nvcc -ftz=true" | %FileCheck %s --check-prefix=FTZ
; RUN: %tool %s --kernel k --command "nvcc -fmad=false" | %FileCheck %s --check-prefix=NOFMA
; RUN: %tool %s --kernel k --command "nvcc" --flush-denormals true | %FileCheck %s --check-prefix=FTZ
; RUN: %tool %s --kernel k --command "nvcc" --stage prepared | %FileCheck %s --check-prefix=PREPARED
target triple = "nvptx64-nvidia-cuda"
; PREPARED-NOT: nvvm_reflect
; NVCC: fma.rn.f32
; NVCC: div.rn.f32
; NVCC: rcp.rn.f32
; NVCC: sqrt.rn.f32
; NVCC: 900
; CLANG: sqrt.approx.f32
; FAST: fma.rn.ftz.f32
; FAST: div.approx.ftz.f32
; FAST: rcp.approx.ftz.f32
; FAST: sqrt.approx.ftz.f32
; NODIV: fma.rn.f32
; NODIV: div.full.f32
; NODIV: rcp.approx.f32
; NODIV: sqrt.rn.f32
; FTZ: fma.rn.ftz.f32
; FTZ: div.rn.ftz.f32
; FTZ: rcp.rn.ftz.f32
; FTZ: sqrt.rn.ftz.f32
; NOFMA: mul.rn.f32
; NOFMA: add.rn.f32
; NOFMA-NOT: fma
@precise = private constant [17 x i8] c"__CUDA_PREC_SQRT\00"
@flush = private constant [11 x i8] c"__CUDA_FTZ\00"
@arch = private constant [12 x i8] c"__CUDA_ARCH\00"
declare i32 @__nvvm_reflect(ptr)
declare float @llvm.nvvm.sqrt.rn.f(float)
declare float @llvm.nvvm.sqrt.rn.ftz.f(float)
declare float @llvm.nvvm.sqrt.approx.f(float)
declare float @llvm.nvvm.sqrt.approx.ftz.f(float)
define internal float @__nv_sqrtf(float %x) {
  %p = call i32 @__nvvm_reflect(ptr @precise)
  %f = call i32 @__nvvm_reflect(ptr @flush)
  %isPrecise = icmp ne i32 %p, 0
  %flushes = icmp ne i32 %f, 0
  br i1 %isPrecise, label %exact, label %rough
exact:
  %a = call float @llvm.nvvm.sqrt.rn.ftz.f(float %x)
  %b = call float @llvm.nvvm.sqrt.rn.f(float %x)
  %ab = select i1 %flushes, float %a, float %b
  ret float %ab
rough:
  %c = call float @llvm.nvvm.sqrt.approx.ftz.f(float %x)
  %d = call float @llvm.nvvm.sqrt.approx.f(float %x)
  %cd = select i1 %flushes, float %c, float %d
  ret float %cd
}
define ptx_kernel void @k(ptr %out, float %x, float %y) {
  %m = fmul contract float %x, %y
  %s = fadd contract float %m, %x
  store volatile float %s, ptr %out
  %d = fdiv float %x, %y
  store volatile float %d, ptr %out
  %r = fdiv float 1.0, %y
  store volatile float %r, ptr %out
  %q = call float @__nv_sqrtf(float %x)
  store volatile float %q, ptr %out
  %arch = call i32 @__nvvm_reflect(ptr @arch)
  store volatile i32 %arch, ptr %out
  ret void
}
