# What is linked in front of the user's code, which begins here.
	.text
	.globl quotient_users_begin
	.hidden quotient_users_begin
quotient_users_begin:
	nop
	.section .note.GNU-stack,"",@progbits
