# Calls a function of the program. For whoever unwinds a stack, it ends here. What is in front of this when it is assembled
# says whether a write to a volatile variable that has happened becomes an event before it returns: FLUSH.
	.text
	.globl quotient_call
	.hidden quotient_call
	.type quotient_call, @function
quotient_call:
	.cfi_startproc
	.cfi_undefined rip
	movq %rdi, %rax
	movq %rsi, %rdi
	movq %rdx, %rsi
	subq $8, %rsp
	call *%rax
	addq $8, %rsp
	.if FLUSH
	cmpq $0, quotient_shared+40(%rip)
	je 1f
	pushq %rax
	call quotient_flush
	popq %rax
1:
	.endif
	ret
	.cfi_endproc
	.size quotient_call, .-quotient_call
	.section .note.GNU-stack,"",@progbits
