// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s helloworld 3 | FileCheck %s
// RUN: echo 'abcxyz 1' | %heddle run %s - | FileCheck %s --check-prefix=STDIN
// CHECK: ciphertext: khoorzruog
// STDIN: ciphertext: bcdyza
//
// Illustrates: lecture "Parallel Programming for Many-core Processors" 2, "Encryption Example".
//
// A Caesar cipher in a kernel of one thread: the smallest program that allocates, copies, launches
// and copies back. The lecture's call that copies the message to the device lacks its source; ours
// has it. Use: encrypt_serial [word shift], or "-" to read both from standard input.
#include "common.h"

#include <cstring>
#include <iostream>
#include <string>

__host__ __device__ char rotate(char letter, int shift) {
  return letter >= 'a' && letter <= 'z' ? char((letter - 'a' + shift) % 26 + 'a') : letter;
}

__global__ void encrypt(char *message, int length, int shift) {
  for (int i = 0; i < length; ++i)
    message[i] = rotate(message[i], shift);
}

static std::string encryptOnDevice(const std::string &text, int shift) {
  char *message;
  std::vector<char> buffer(text.size() + 1);
  std::memcpy(buffer.data(), text.c_str(), buffer.size());
  CUDA_CHECK(cudaMalloc(&message, buffer.size()));
  CUDA_CHECK(cudaMemcpy(message, buffer.data(), buffer.size(), cudaMemcpyHostToDevice));
  encrypt<<<1, 1>>>(message, int(text.size()), shift);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(buffer.data(), message, buffer.size(), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(message));
  return buffer.data();
}

static std::string encryptOnHost(std::string text, int shift) {
  for (char &letter : text)
    letter = rotate(letter, shift);
  return text;
}

int main(int argc, char **argv) {
  std::string word = argc > 2 ? argv[1] : "helloworld";
  int shift = argc > 2 ? std::atoi(argv[2]) : 3;
  if (argc == 2 && std::string(argv[1]) == "-")
    std::cin >> word >> shift;
  shift = (shift % 26 + 26) % 26; // the remainder of a negative number is negative in C
  std::cout << "plaintext: " << word << std::endl;
  std::string cipher = encryptOnDevice(word, shift);
  std::cout << "ciphertext: " << cipher << std::endl;

  check(cipher == encryptOnHost(word, shift), "the word, shift %d", shift);
  for (int length : {0, 1, 26, 254, 1000}) {
    std::string text;
    for (int i = 0; i < length; ++i)
      text += char('a' + i % 26);
    std::string secret = encryptOnDevice(text, 7);
    check(secret == encryptOnHost(text, 7), "length %d", length);
    check(encryptOnDevice(secret, 19) == text, "length %d and back", length);
  }
  return exitCode();
}
