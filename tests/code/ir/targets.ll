; The PTX version follows the driver, as far as the architecture needs and LLVM knows.
; RUN: %tool %s --kernel k --arch sm_90 --driver-ptx 84 | %FileCheck %s --check-prefix=P84
; RUN: %tool %s --kernel k --arch sm_90a --driver-ptx 99 | %FileCheck %s --check-prefix=P90
; RUN: %tool %s --kernel k --arch sm_75 | %FileCheck %s --check-prefix=P80
; RUN: %tool %s --kernel k --arch sm_120 | %FileCheck %s --check-prefix=P87
; RUN: %not %tool %s --kernel k --arch sm_100 --driver-ptx 84 2>&1 | %FileCheck %s --check-prefix=OLD
; RUN: %not %tool %s --kernel k --arch sm_999 2>&1 | %FileCheck %s --check-prefix=UNKNOWN
; RUN: %not %tool %s --kernel k --arch gfx90a 2>&1 | %FileCheck %s --check-prefix=OTHER
target triple = "nvptx64-nvidia-cuda"
; P84: .version 8.4
; P84: .target sm_90
; P90: .version 9.0
; P90: .target sm_90a
; P80: .version 8.0
; P80: .target sm_75
; P87: .version 8.7
; P87: .target sm_120
; OLD: error: sm_100 needs PTX 8.6; the driver takes up to 8.4
; UNKNOWN: error: LLVM {{.*}} makes no code for sm_999
; OTHER: error: the bitcode is for nvptx64-nvidia-cuda, not for gfx90a
define ptx_kernel void @k(ptr %out) #0 {
  store i32 1, ptr %out
  ret void
}
attributes #0 = { "target-cpu"="sm_70" "target-features"="+ptx63,+sm_70" }
