!mod$ v1 sum:aa114514f9848327
!need$ 8f3c0cd7c2f4184a i __cuda_builtins
!need$ b3394a34bdb8f77e i cudadevice
module m
contains
attributes(global) subroutine saxpy(x,y,a)
real(4)::x(:)
attributes(device) x
real(4)::y(:)
attributes(device) y
real(4),value::a
end
end
