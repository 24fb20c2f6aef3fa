// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/report.h"

#include "profile/page/page.h"
#include "profile/recorder.h"

#include "base/messages/output.h"

#include <unistd.h>

namespace heddle::profile {

namespace {

/// "==123== ", or what stands in its place without a process that the reader knows.
std::string prefixOf(const ProfileOptions &options) {
  return options.tool == ProfileTool::Nvprof ? "==" + std::to_string(getpid()) + "== " : "";
}

std::string bodyOf(const ProfileOptions &options, const Recording &recording) {
  std::string text, title = prefixOf(options) + "Profiling result:\n";
  bool isTable = options.tool == ProfileTool::Heddle || options.tool == ProfileTool::Nvprof;
  if (!options.isQuiet && isTable)
    text = prefixOf(options) + "Profiling application: " + commandLine() + "\n";
  if (options.tool == ProfileTool::Predict)
    return prediction(options, recording);
  if (options.tool == ProfileTool::Ncu)
    return ncuReport(options, recording);
  if (options.tool == ProfileTool::Nsys)
    return nsysSummaries(options, recording);
  bool isFirst = true;
  auto add = [&](const std::string &part) {
    text += (isFirst ? "" : "\n") + title + part;
    isFirst = false;
  };
  bool isPlain = options.isSummaryOnly();
  text += nsysSummaries(options, recording);
  if (options.gpuTrace)
    add(gpuTrace(options, recording));
  if (options.apiTrace)
    add(apiTrace(options, recording));
  if (isPlain || options.gpuSummary || options.apiSummary)
    add(summary(options, recording, isPlain || options.gpuSummary, isPlain || options.apiSummary));
  if (!options.events.empty())
    text += prefixOf(options) + "Event result:\n" + eventTable(options, recording);
  if (!options.metrics.empty())
    text += prefixOf(options) + "Metric result:\n" + metricTable(options, recording);
  return text;
}

} // namespace

void report(const ProfileOptions &options, const Recording &recording) {
  // ncu and nsys write to stdout, among what the program writes.
  bool isThere = (options.tool == ProfileTool::Ncu || options.tool == ProfileTool::Nsys) &&
                 options.logFile.empty();
  Output output(isThere ? "-" : expandLogName(options.logFile, getpid()));
  if (std::string text = bodyOf(options, recording); !text.empty())
    output.write(text);
  if (!options.traceFile.empty())
    writeReport(expandLogName(options.traceFile, getpid()), chromeTrace(recording));
  if (!options.htmlFile.empty())
    writeReport(expandLogName(options.htmlFile, getpid()), htmlPage(recording));
  if (!options.pictureFolder.empty())
    writePictures(expandLogName(options.pictureFolder, getpid()), recording);
}

} // namespace heddle::profile
