; Fast-math flags one by one, on the kernel's code and not inside the math library.
; RUN: %tool %s --kernel k --stage prepared --fast-math 1 | %FileCheck %s --check-prefix=NNAN
; RUN: %tool %s --kernel k --stage prepared --fast-math 66 | %FileCheck %s --check-prefix=TWO
; RUN: %tool %s --kernel k --fast-math 32 | %FileCheck %s --check-prefix=APPROX
; RUN: %tool %s --kernel k --fast-math 0 | %FileCheck %s --check-prefix=NONE
target triple = "nvptx64-nvidia-cuda"
; NNAN: fdiv nnan contract float
; NNAN: define internal float @__nv_abs
; NNAN: fsub contract float
; TWO: fdiv reassoc ninf contract float
; APPROX: div.approx.f32
; NONE: div.rn.f32
define internal float @__nv_abs(float %x) {
  %r = fsub float 0.0, %x
  ret float %r
}
define ptx_kernel void @k(ptr %out, float %x, float %y) {
  %z = call float @__nv_abs(float %y)
  %d = fdiv float %x, %z
  store float %d, ptr %out
  ret void
}
