; Grid and block become constants, and what follows from them goes away. A folded block is required at launch.
; RUN: %tool %s --kernel k --block 128,1,1 --grid 16 | %FileCheck %s
; RUN: %tool %s --kernel k | %FileCheck %s --check-prefix=PLAIN
; RUN: %not %tool %s --kernel k --block 0,1,1 2>&1 | %FileCheck %s --check-prefix=ZERO
target triple = "nvptx64-nvidia-cuda"
; CHECK: .reqntid 128, 1, 1
; CHECK-NOT: ntid
; CHECK-NOT: setp
; CHECK: st.volatile.global.b32 {{.*}}, 2048;
; PLAIN: mov.u32 {{.*}}%ntid.x
; PLAIN: setp
; ZERO: error: specialising k: a shape with a zero extent
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @k(ptr %out) {
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %all = mul i32 %b, %g
  store volatile i32 %all, ptr %out
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inside = icmp ult i32 %t, %b
  br i1 %inside, label %yes, label %no
yes:
  store volatile i32 %t, ptr %out
  ret void
no:
  store volatile i32 -1, ptr %out
  ret void
}
