# The stubs through which a program calls Quotient; the list of them follows this when it is assembled. `quotient_shared` has
# where the call came from, the stack and the frame, and the functions behind the stubs.

# Makes an event of a write to a volatile variable that has happened. The arguments and what may be their number are kept,
# seven registers, so that the stack is aligned.
	.macro flush
	cmpq $0, quotient_shared+40(%rip)
	je 1f
	pushq %rdi
	pushq %rsi
	pushq %rdx
	pushq %rcx
	pushq %r8
	pushq %r9
	pushq %rax
	call quotient_flush
	popq %rax
	popq %r9
	popq %r8
	popq %rcx
	popq %rdx
	popq %rsi
	popq %rdi
1:
	.endm

	.macro begins name
	.weak \name
	.hidden \name
	.type \name, @function
\name:
	.cfi_startproc
	.if FLUSH
	.ifnc \name,quotient_flush
	flush
	.endif
	.endif
	.endm

	.macro ends name
	.cfi_endproc
	.size \name, .-\name
	.endm

# Puts all that the program's thread is at this point on the stack, and notes where that is.
	.macro note
	pushq %rbp
	.cfi_def_cfa_offset 16
	pushq %rbx
	.cfi_def_cfa_offset 24
	pushq %r12
	.cfi_def_cfa_offset 32
	pushq %r13
	.cfi_def_cfa_offset 40
	pushq %r14
	.cfi_def_cfa_offset 48
	pushq %r15
	.cfi_def_cfa_offset 56
	movq 48(%rsp), %r11
	movq %r11, quotient_shared(%rip)
	movq %rsp, quotient_shared+8(%rip)
	movq %rsp, quotient_shared+16(%rip)
	.endm

	.macro return
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	popq %rbp
	ret
	.endm

# Notes where it was called from.
	.macro quick name, at
	begins \name
	movq (%rsp), %r11
	movq %r11, quotient_shared(%rip)
	movq %rsp, quotient_shared+8(%rip)
	jmp *quotient_shared+\at(%rip)
	ends \name
	.endm

# Also the registers.
	.macro full name, at
	begins \name
	note
	subq $8, %rsp
	.cfi_def_cfa_offset 64
	call *quotient_shared+\at(%rip)
	addq $8, %rsp
	return
	ends \name
	.endm

# The same, and which function of the library it is and its arguments, on the stack.
	.macro library name, at, row
	begins \name
	note
	pushq %r9
	.cfi_def_cfa_offset 64
	pushq %r8
	.cfi_def_cfa_offset 72
	pushq %rcx
	.cfi_def_cfa_offset 80
	pushq %rdx
	.cfi_def_cfa_offset 88
	pushq %rsi
	.cfi_def_cfa_offset 96
	pushq %rdi
	.cfi_def_cfa_offset 104
	movl $\row, %edi
	movq %rsp, %rsi
	subq $8, %rsp
	.cfi_def_cfa_offset 112
	call *quotient_shared+\at(%rip)
	addq $56, %rsp
	return
	ends \name
	.endm

# What cannot be checked.
	.macro refused name
	.weak \name
	.hidden \name
\name:
	leaq 2f(%rip), %rdi
	jmp quotient_unsupported_call
	.section .rodata
2:
	.asciz "\name"
	.text
	.endm

	.text
	.globl quotient_glue_end
	.hidden quotient_glue_end
quotient_glue_end:
