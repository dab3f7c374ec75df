// An executor on xxl-job-executor-go with the handlers of the suite.
//
//	executor APPNAME PORT ADMIN_URL TOKEN [paged-log]
//
// It deregisters and ends on SIGTERM, and ends at once when its standard input does. With paged-log it answers /log
// from its own memory in pages of 64 lines; without it the library's stand-in text is served.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	xxl "github.com/xxl-job/xxl-job-executor-go"
)

const pageLines = 64

// journal keeps the lines that each run logged.
type journal struct {
	mu    sync.Mutex
	lines map[int64][]string
}

func (j *journal) write(logID int64, line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines[logID] = append(j.lines[logID], line)
}

// page answers /log: at most pageLines lines from the asked one on.
func (j *journal) page(req *xxl.LogReq) *xxl.LogRes {
	j.mu.Lock()
	defer j.mu.Unlock()
	lines := j.lines[req.LogID]
	from := min(max(req.FromLineNum, 1), len(lines)+1)
	to := min(from+pageLines-1, len(lines))
	return &xxl.LogRes{Code: xxl.SuccessCode, Content: xxl.LogResContent{
		FromLineNum: req.FromLineNum,
		ToLineNum:   to,
		LogContent:  strings.Join(lines[from-1:to], "\n"),
		IsEnd:       to == len(lines),
	}}
}

func touch(path string) {
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		panic(err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// gate writes param.started, then waits for param.open and writes param.passed; when cancelled it writes
// param.interrupted and tidies up for a moment, as a real job would.
func gate(ctx context.Context, req *xxl.RunReq) string {
	path := req.ExecutorParams
	touch(path + ".started")
	for !exists(path + ".open") {
		select {
		case <-ctx.Done():
			touch(path + ".interrupted")
			time.Sleep(50 * time.Millisecond)
			return "ctx done: " + ctx.Err().Error()
		case <-time.After(20 * time.Millisecond):
		}
	}
	touch(path + ".passed")
	return "passed"
}

// stubborn is gate without an ear for the context; it writes param.ended at the end.
func stubborn(_ context.Context, req *xxl.RunReq) string {
	path := req.ExecutorParams
	touch(path + ".started")
	for !exists(path + ".open") {
		time.Sleep(20 * time.Millisecond)
	}
	touch(path + ".ended")
	return "passed"
}

func sleep(ctx context.Context, req *xxl.RunReq) string {
	millis, err := strconv.Atoi(req.ExecutorParams)
	if err != nil {
		panic(err)
	}
	select {
	case <-ctx.Done():
		return "ctx done: " + ctx.Err().Error()
	case <-time.After(time.Duration(millis) * time.Millisecond):
		return "slept " + req.ExecutorParams
	}
}

func register(executor xxl.Executor, log *journal) {
	executor.RegTask("ok", func(_ context.Context, req *xxl.RunReq) string {
		log.write(req.LogID, "one line")
		return ""
	})
	executor.RegTask("echo", func(_ context.Context, req *xxl.RunReq) string {
		return "param=[" + req.ExecutorParams + "]"
	})
	// The library has no way to fail but a panic: whatever text a task returns, the run succeeds.
	executor.RegTask("fail", func(context.Context, *xxl.RunReq) string { return "failed on purpose" })
	executor.RegTask("throw", func(context.Context, *xxl.RunReq) string { panic("thrown on purpose") })
	executor.RegTask("sleep", sleep)
	executor.RegTask("gate", gate)
	executor.RegTask("stubborn", stubborn)
	executor.RegTask("shard", func(_ context.Context, req *xxl.RunReq) string {
		shard := fmt.Sprintf("shard %d/%d", req.BroadcastIndex, req.BroadcastTotal)
		log.write(req.LogID, shard)
		return shard
	})
	executor.RegTask("log200", func(_ context.Context, req *xxl.RunReq) string {
		for i := range 200 {
			log.write(req.LogID, fmt.Sprintf("log line %03d", i))
		}
		return ""
	})
}

func main() {
	if len(os.Args) < 5 {
		fmt.Fprintln(os.Stderr, "usage: executor APPNAME PORT ADMIN_URL TOKEN [paged-log]")
		os.Exit(2)
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	executor := xxl.NewExecutor(
		xxl.RegistryKey(os.Args[1]),
		xxl.ExecutorIp("127.0.0.1"),
		xxl.ExecutorPort(os.Args[2]),
		xxl.ServerAddr(os.Args[3]),
		xxl.AccessToken(os.Args[4]),
	)
	executor.Init()
	log := &journal{lines: map[int64][]string{}}
	if len(os.Args) > 5 && os.Args[5] == "paged-log" {
		executor.LogHandler(log.page)
	}
	register(executor, log)
	if err := executor.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
