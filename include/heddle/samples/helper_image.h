// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of numbers, images as PGM and PPM, and comparisons of both, of the samples' headers (helper_string.h).
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <vector>

#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

// --- Numbers in text files ---

/// Allocates `*data` unless it is set.
template <class T>
inline bool sdkReadFile(const char *filename, T **data, unsigned int *len, bool verbose) {
  std::ifstream file(filename);
  if (!file.good()) {
    if (verbose)
      std::cerr << "sdkReadFile() : Opening file failed: " << filename << std::endl;
    return false;
  }
  std::vector<T> values;
  for (T value; file >> value;)
    values.push_back(value);
  if (*data == NULL) {
    *data = static_cast<T *>(malloc(sizeof(T) * values.size()));
    *len = static_cast<unsigned int>(values.size());
  } else if (*len != values.size()) {
    std::cerr << "sdkReadFile() : " << filename << " has " << values.size() << " values, expected " << *len << std::endl;
    return false;
  }
  if (!values.empty())
    memcpy(*data, &values[0], sizeof(T) * values.size());
  return true;
}

template <class T, class S>
inline bool sdkWriteFile(const char *filename, const T *data, unsigned int len, const S epsilon, bool verbose,
                         bool append = false) {
  std::ofstream file(filename, append ? std::ios::app : std::ios::trunc);
  if (!file.good()) {
    if (verbose)
      std::cerr << "sdkWriteFile() : Opening file failed: " << filename << std::endl;
    return false;
  }
  file << "# " << epsilon << "\n";
  for (unsigned int i = 0; i < len && file.good(); ++i)
    file << data[i] << ' ';
  file << std::endl;
  return file.good();
}

// --- Comparisons ---

/// Whether at most `threshold` (a part of 1) of the values differ by more than epsilon; 0: none may.
template <class T, class S>
inline bool compareData(const T *reference, const T *data, const unsigned int len, const S epsilon,
                        const float threshold) {
  unsigned int different = 0;
  for (unsigned int i = 0; i < len; ++i) {
    double difference = double(reference[i]) - double(data[i]);
    different += !(difference <= double(epsilon) && difference >= -double(epsilon));
  }
  if (threshold == 0.0f)
    return different == 0;
  if (different > 0)
    std::printf("%4.2f(%%) of values differ (count=%u)\n", double(different) * 100 / len, different);
  return double(len) * threshold > different;
}

template <class T, class S>
inline bool compareDataAsFloatThreshold(const T *reference, const T *data, const unsigned int len, const S epsilon,
                                        const float threshold) {
  return compareData(reference, data, len, epsilon, threshold);
}

inline bool sdkCompareL2fe(const float *reference, const float *data, const unsigned int len, const float epsilon) {
  double error = 0, norm = 0;
  for (unsigned int i = 0; i < len; ++i) {
    double difference = double(reference[i]) - double(data[i]);
    error += difference * difference;
    norm += double(reference[i]) * double(reference[i]);
  }
  if (norm < 1e-14) {
    std::cerr << "ERROR, reference l2-norm is 0\n";
    return false;
  }
  return std::sqrt(error / norm) < epsilon;
}

// --- Images: PGM (P5) with one channel, PPM (P6) with three, 8 bits each ---

inline bool heddleLoadImage(const char *filename, std::vector<unsigned char> &bytes, unsigned int *w, unsigned int *h,
                            unsigned int *channels) {
  FILE *file = fopen(filename, "rb");
  if (!file) {
    std::cerr << "Failed to open file: " << filename << std::endl;
    return false;
  }
  unsigned int numbers[3] = {0, 0, 0}, count = 0;
  int kind = fgetc(file) == 'P' ? fgetc(file) : 0;
  for (int c = fgetc(file); count < 3 && c != EOF; c = fgetc(file)) {
    if (c == '#') {
      while (c != '\n' && c != EOF)
        c = fgetc(file);
    } else if (c >= '0' && c <= '9') {
      ungetc(c, file);
      count += fscanf(file, "%u", &numbers[count]) == 1;
      if (count == 3)
        break;
    }
  }
  *channels = kind == '5' ? 1 : kind == '6' ? 3 : 0;
  bool isGood = *channels != 0 && count == 3 && numbers[2] < 256 && fgetc(file) != EOF;
  if (isGood) {
    *w = numbers[0];
    *h = numbers[1];
    bytes.resize(size_t(*w) * *h * *channels);
    isGood = fread(bytes.data(), 1, bytes.size(), file) == bytes.size();
  }
  fclose(file);
  if (!isGood)
    std::cerr << "'" << filename << "' is no PGM or PPM image of 8 bits" << std::endl;
  return isGood;
}

inline bool heddleSaveImage(const char *filename, const unsigned char *bytes, unsigned int w, unsigned int h,
                            unsigned int channels) {
  FILE *file = fopen(filename, "wb");
  if (!file) {
    std::cerr << "Opening file failed: " << filename << std::endl;
    return false;
  }
  size_t size = size_t(w) * h * channels;
  fprintf(file, "P%c\n%u\n%u\n255\n", channels == 1 ? '5' : '6', w, h);
  bool isGood = fwrite(bytes, 1, size, file) == size;
  return fclose(file) == 0 && isGood;
}

inline unsigned char heddleToByte(unsigned char value) { return value; }
inline unsigned char heddleToByte(float value) { return static_cast<unsigned char>(value * 255.0f); }
inline unsigned char heddleToByte(int value) { return static_cast<unsigned char>(value); }
inline unsigned char heddleToByte(unsigned short value) { return static_cast<unsigned char>(value); }
inline void heddleFromByte(unsigned char byte, unsigned char *value) { *value = byte; }
inline void heddleFromByte(unsigned char byte, float *value) { *value = float(byte) / 255.0f; }
inline void heddleFromByte(unsigned char byte, int *value) { *value = byte; }
inline void heddleFromByte(unsigned char byte, unsigned short *value) { *value = byte; }

/// Into `perPixel` values of a pixel; what the file has not is 0. Allocates `*data` unless it is set.
template <class T>
inline bool heddleLoadAs(const char *file, T **data, unsigned int *w, unsigned int *h, unsigned int perPixel) {
  std::vector<unsigned char> bytes;
  unsigned int channels;
  if (!heddleLoadImage(file, bytes, w, h, &channels))
    return false;
  size_t pixels = size_t(*w) * *h;
  if (*data == NULL)
    *data = static_cast<T *>(malloc(pixels * perPixel * sizeof(T)));
  for (size_t i = 0; i < pixels; ++i)
    for (unsigned int k = 0; k < perPixel; ++k)
      heddleFromByte(k < channels ? bytes[i * channels + k] : 0, *data + i * perPixel + k);
  return true;
}

template <class T> inline bool sdkLoadPGM(const char *file, T **data, unsigned int *w, unsigned int *h) {
  return heddleLoadAs(file, data, w, h, 1);
}
template <class T> inline bool sdkLoadPPM4(const char *file, T **data, unsigned int *w, unsigned int *h) {
  return heddleLoadAs(file, data, w, h, 4);
}
inline bool sdkLoadPPM4ub(const char *file, unsigned char **data, unsigned int *w, unsigned int *h) {
  return heddleLoadAs(file, data, w, h, 4);
}
inline bool sdkLoadPPMub(const char *file, unsigned char **data, unsigned int *w, unsigned int *h) {
  return heddleLoadAs(file, data, w, h, 3);
}

template <class T> inline bool sdkSavePGM(const char *file, T *data, unsigned int w, unsigned int h) {
  std::vector<unsigned char> bytes(size_t(w) * h);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = heddleToByte(data[i]);
  return heddleSaveImage(file, bytes.data(), w, h, 1);
}
inline bool sdkSavePPMub(const char *file, unsigned char *data, unsigned int w, unsigned int h) {
  return heddleSaveImage(file, data, w, h, 3);
}
inline bool sdkSavePPM4ub(const char *file, unsigned char *data, unsigned int w, unsigned int h) {
  std::vector<unsigned char> bytes;
  for (size_t i = 0; i < size_t(w) * h * 4; ++i)
    if (i % 4 != 3)
      bytes.push_back(data[i]);
  return heddleSaveImage(file, bytes.data(), w, h, 3);
}

inline bool heddleCompareImages(const char *file, const char *reference, float epsilon, float threshold, bool verbose) {
  std::vector<unsigned char> one, other;
  unsigned int w[2], h[2], channels[2];
  if (!heddleLoadImage(file, one, &w[0], &h[0], &channels[0]) ||
      !heddleLoadImage(reference, other, &w[1], &h[1], &channels[1]))
    return false;
  if (w[0] != w[1] || h[0] != h[1] || channels[0] != channels[1]) {
    if (verbose)
      std::cerr << "images differ in size: " << file << ", " << reference << std::endl;
    return false;
  }
  return compareData(other.data(), one.data(), static_cast<unsigned int>(one.size()), epsilon, threshold);
}
inline bool sdkComparePPM(const char *file, const char *reference, const float epsilon, const float threshold,
                          bool verbose) {
  return heddleCompareImages(file, reference, epsilon, threshold, verbose);
}
inline bool sdkComparePGM(const char *file, const char *reference, const float epsilon, const float threshold,
                          bool verbose) {
  return heddleCompareImages(file, reference, epsilon, threshold, verbose);
}
