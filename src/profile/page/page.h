// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report that a person looks at: one HTML file that needs nothing else, and its drawings as files.
#pragma once

#include "profile/page/pictures.h"

namespace heddle::profile {

std::vector<GroupFacts> factsOf(const Recording &, const std::vector<LaunchGroup> &);
/// JSON of all numbers, in which no "<" stands.
std::string pageData(const Recording &, const std::vector<GroupFacts> &);

/// The page.
std::string htmlPage(const Recording &);
/// Writes each drawing into a folder, which is made if it is not there.
void writePictures(const std::string &folder, const Recording &);

} // namespace heddle::profile
