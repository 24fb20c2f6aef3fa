__device__ int called(int x) { return 2 * x; }
