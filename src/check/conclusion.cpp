// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/conclusion.h"

#include "base/messages/output.h"
#include "check/records.h"
#include "check/reports.h"
#include "check/suppressions.h"

#include <unistd.h>

namespace heddle::check {

bool wantsColor(const CheckOptions &options) {
  if (options.color != CheckOptions::Color::Auto)
    return options.color == CheckOptions::Color::Always;
  bool isStandard = options.logFile.empty() || options.logFile == "-";
  return isStandard && isatty(options.logFile.empty() ? STDERR_FILENO : STDOUT_FILENO);
}

void conclude(const CheckOptions &options, const std::vector<Finding> &findings, pid_t process) {
  Output output(expandLogName(options.logFile, process));
  output.write(options.asXml ? xmlOf(findings)
                             : summaryText(countErrors(findings), wantsColor(options)));
  writeReport(options.jsonFile, options.jsonFile.empty() ? "" : jsonOf(findings));
  writeReport(options.sarifFile, options.sarifFile.empty() ? "" : sarifOf(findings));
  std::string records, lines;
  for (size_t i = 0; i < findings.size(); ++i) {
    records += recordOf(static_cast<uint32_t>(process), i + 1, findings[i]);
    lines += suppressionOf(findings[i]);
  }
  writeReport(options.saveFile, records);
  writeReport(options.newSuppressionsFile, lines);
}

} // namespace heddle::check
