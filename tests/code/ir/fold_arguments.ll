; A folded argument becomes its bytes; the signature stays.
; RUN: %tool %s --kernel k --fold 1=04000000 --fold 2=00004040 | %FileCheck %s
; RUN: %tool %s --kernel k --fold 3=0500000006000000 | %FileCheck %s --check-prefix=STRUCT
; RUN: %tool %s --kernel k | %FileCheck %s --check-prefix=PLAIN
; RUN: %not %tool %s --kernel k --fold 1=0400 2>&1 | %FileCheck %s --check-prefix=SIZE
; RUN: %not %tool %s --kernel k --fold 9=04000000 2>&1 | %FileCheck %s --check-prefix=INDEX
target triple = "nvptx64-nvidia-cuda"
; CHECK: .param .u32 k_param_1
; CHECK: .param .f32 k_param_2
; CHECK: .param .align 4 .b8 k_param_3[8]
; CHECK-NOT: ld.param.{{.*}}k_param_1
; CHECK-NOT: ld.param.{{.*}}k_param_2
; CHECK-COUNT-4: mul.f32 {{.*}}0f40400000
; CHECK-NOT: bra
; CHECK: ret
; PLAIN: bra
; STRUCT-NOT: k_param_3]
; STRUCT: st.global.b32 {{.*}}6;
; STRUCT-NOT: .local
; SIZE: error: specialising k: parameter 1 takes 4 bytes, not 2
; INDEX: error: specialising k: the kernel has 4 parameters; there is no number 9
%pair = type { i32, i32 }
define ptx_kernel void @k(ptr %x, i32 %n, float %a, ptr byval(%pair) align 4 %p) {
entry:
  %second = getelementptr %pair, ptr %p, i64 0, i32 1
  %v = load i32, ptr %second
  store volatile i32 %v, ptr %x
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %done
body:
  %at = getelementptr float, ptr %x, i32 %i
  %old = load float, ptr %at
  %new = fmul float %old, %a
  store float %new, ptr %at
  %next = add i32 %i, 1
  br label %head
done:
  ret void
}
