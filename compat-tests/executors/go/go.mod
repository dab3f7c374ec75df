module compat/executor

go 1.22

require github.com/xxl-job/xxl-job-executor-go v1.2.0

require github.com/go-basic/ipv4 v1.0.0 // indirect
