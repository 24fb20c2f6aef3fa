# Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os

config.suffixes_root = os.path.dirname(os.path.abspath(__file__))
lit_config.load_config(config, os.path.join(config.suffixes_root, "..", "tests", "lit.cfg.py"))
