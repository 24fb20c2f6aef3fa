// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests of what several processes share: the test program starts itself anew for the part of
// another process, a test of the suite DISABLED_Child, and both send each other values.
#pragma once

#include "runtime/test_support.h"

#include <string>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/// One end of the line between a test and its child.
class Line {
public:
  explicit Line(int socket) : socket_(socket) {}
  template <typename T> void send(const T &value) {
    ASSERT_EQ(::send(socket_, &value, sizeof value, MSG_NOSIGNAL),
              static_cast<ssize_t>(sizeof value));
  }
  /// Zeros if the other one has ended.
  template <typename T> T receive() {
    T value = {};
    EXPECT_EQ(recv(socket_, &value, sizeof value, MSG_WAITALL), static_cast<ssize_t>(sizeof value));
    return value;
  }
  /// Open files go over the line as such.
  void sendFile(int file) {
    char byte = 0, control[CMSG_SPACE(sizeof file)] = {};
    iovec data = {&byte, 1};
    msghdr message = {};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof file);
    *reinterpret_cast<int *>(CMSG_DATA(header)) = file;
    ASSERT_EQ(sendmsg(socket_, &message, MSG_NOSIGNAL), 1);
  }
  int receiveFile() {
    char byte, control[CMSG_SPACE(sizeof(int))] = {};
    iovec data = {&byte, 1};
    msghdr message = {};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    EXPECT_EQ(recvmsg(socket_, &message, 0), 1);
    const cmsghdr *header = CMSG_FIRSTHDR(&message);
    return header ? *reinterpret_cast<const int *>(CMSG_DATA(header)) : -1;
  }

protected:
  int socket_;
};

/// In a test of DISABLED_Child: the line to the parent.
inline Line parentLine() { return Line(atoi(getenv("HEDDLE_TEST_LINE"))); }

/// Another process, which runs the test DISABLED_Child.`name` of this program. It must pass.
class Child : public Line {
public:
  explicit Child(const std::string &name) : Line(-1) {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    socket_ = ends[0];
    const std::string filter = "--gtest_filter=DISABLED_Child." + name;
    const std::string line = std::to_string(ends[1]);
    process_ = fork();
    if (process_ == 0) {
      close(ends[0]);
      setenv("HEDDLE_TEST_LINE", line.c_str(), 1);
      execl("/proc/self/exe", "child", filter.c_str(), "--gtest_also_run_disabled_tests",
            static_cast<char *>(nullptr));
      _exit(127);
    }
    close(ends[1]);
  }
  ~Child() {
    int status = -1;
    EXPECT_EQ(waitpid(process_, &status, 0), process_);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the child's test has failed";
    close(socket_);
  }
  Child(const Child &) = delete;

private:
  pid_t process_;
};
