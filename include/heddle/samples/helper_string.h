// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that programs use of the headers beside CUDA's samples, written for Heddle: command lines, and where files are.
// All headers of this folder come last in the search, so a program's own copies come before them.
#pragma once

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <strings.h>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#ifndef STRCASECMP
#define STRCASECMP strcasecmp
#endif
#ifndef STRNCASECMP
#define STRNCASECMP strncasecmp
#endif
#ifndef STRCPY
#define STRCPY(file, length, path) strcpy(file, path)
#endif
#ifndef FOPEN
#define FOPEN(handle, name, mode) (handle = fopen(name, mode))
#endif
#ifndef FOPEN_FAIL
#define FOPEN_FAIL(result) ((result) == NULL)
#endif
#ifndef SSCANF
#define SSCANF sscanf
#endif
#ifndef SPRINTF
#define SPRINTF sprintf
#endif

inline int stringRemoveDelimiter(char delimiter, const char *text) {
  int start = 0;
  while (text[start] == delimiter)
    ++start;
  return start;
}

inline int getFileExtension(char *name, char **extension) {
  char *dot = strrchr(name, '.');
  *extension = dot ? dot + 1 : name + strlen(name);
  return dot ? int(dot - name) : 0;
}

/// What stands behind "-name=" or "--name=" on the command line; "" for the option alone; null: there is no such option.
inline const char *heddleFindArgument(int argc, const char **argv, const char *name) {
  size_t length = strlen(name);
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] != '-')
      continue;
    const char *word = argv[i] + stringRemoveDelimiter('-', argv[i]);
    if (strncasecmp(word, name, length) == 0 && (word[length] == '\0' || word[length] == '='))
      return word + length + (word[length] == '=');
  }
  return NULL;
}

inline bool checkCmdLineFlag(const int argc, const char **argv, const char *name) {
  return heddleFindArgument(argc, argv, name) != NULL;
}

template <class T>
inline bool getCmdLineArgumentValue(const int argc, const char **argv, const char *name, T *value) {
  const char *text = heddleFindArgument(argc, argv, name);
  if (text && *text)
    *value = static_cast<T>(atoi(text));
  return text != NULL;
}

inline int getCmdLineArgumentInt(const int argc, const char **argv, const char *name) {
  const char *text = heddleFindArgument(argc, argv, name);
  return text ? atoi(text) : 0;
}

inline float getCmdLineArgumentFloat(const int argc, const char **argv, const char *name) {
  const char *text = heddleFindArgument(argc, argv, name);
  return text ? float(atof(text)) : 0.f;
}

inline bool getCmdLineArgumentString(const int argc, const char **argv, const char *name, char **value) {
  const char *text = heddleFindArgument(argc, argv, name);
  *value = const_cast<char *>(text);
  return text != NULL;
}

/// The file by itself, in data folders beside it, and beside the program; null if it is nowhere. The caller frees it.
inline char *sdkFindFilePath(const char *file, const char *program) {
  std::string folder = program ? program : "";
  size_t slash = folder.rfind('/');
  folder = slash == std::string::npos ? "" : folder.substr(0, slash + 1);
  std::string name = slash == std::string::npos ? program ? program : "" : std::string(program).substr(slash + 1);
  const char *const places[] = {"",        "data/",       "common/",   "common/data/", "src/",           "inc/",
                                "../",     "../data/",    "../common/", "../common/data/", "../../data/", "../../common/data/",
                                "../../../data/", "../../../common/data/"};
  for (int beside = 0; beside < 2; ++beside)
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i)
      for (int own = 0; own < 2; ++own) {
        std::string path = (beside ? folder : "") + places[i] + (own ? name + "/" : "") + file;
        FILE *found = fopen(path.c_str(), "rb");
        if (!found)
          continue;
        fclose(found);
        return strdup(path.c_str());
      }
  return NULL;
}
