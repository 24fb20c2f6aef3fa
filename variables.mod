!mod$ v1 sum:8da56fe470b1bece
module variables
real(4)::array(1_8:8_8)
attributes(device) array
real(4),allocatable::allocated(:)
attributes(device) allocated
real(4)::table(1_8:4_8)
attributes(constant) table
real(4)::shared_by_all(1_8:8_8)
attributes(managed) shared_by_all
integer(4)::number
attributes(device) number
end
