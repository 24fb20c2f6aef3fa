find_package(Heddle REQUIRED)
