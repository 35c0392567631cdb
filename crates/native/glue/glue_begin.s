# What is linked in front of Quotient's own code, behind the user's.
	.text
	.globl quotient_glue_begin
	.hidden quotient_glue_begin
	.type quotient_glue_begin, @function
quotient_glue_begin:
	ret
	.size quotient_glue_begin, .-quotient_glue_begin
	.section .note.GNU-stack,"",@progbits
