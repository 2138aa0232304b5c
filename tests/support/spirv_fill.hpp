// tests/support/spirv_fill.hpp - a kernel as a module in SPIR-V 1.2.
// SPDX-License-Identifier: MIT
//
// void fill(global uint* y, uint n): y[i] = WIDE ? FACTOR : 1 for i < n. FACTOR and WIDE are
// specialization constants: 1 and true. Written by spirv-as --target-env opencl2.2 from
//
// OpCapability Addresses
// OpCapability Kernel
// OpCapability Int64
// %1 = OpExtInstImport "OpenCL.std"
// OpMemoryModel Physical64 OpenCL
// OpEntryPoint Kernel %fill "fill" %gid
// OpName %FACTOR "FACTOR"
// OpName %WIDE "WIDE"
// OpDecorate %gid BuiltIn GlobalInvocationId
// OpDecorate %FACTOR SpecId 7
// OpDecorate %WIDE SpecId 8
// %ulong = OpTypeInt 64 0
// %uint = OpTypeInt 32 0
// %bool = OpTypeBool
// %uint_1 = OpConstant %uint 1
// %FACTOR = OpSpecConstant %uint 1
// %WIDE = OpSpecConstantTrue %bool
// %v3ulong = OpTypeVector %ulong 3
// %inptr = OpTypePointer Input %v3ulong
// %void = OpTypeVoid
// %ptr = OpTypePointer CrossWorkgroup %uint
// %fn = OpTypeFunction %void %ptr %uint
// %gid = OpVariable %inptr Input
// %fill = OpFunction %void None %fn
// %y = OpFunctionParameter %ptr
// %n = OpFunctionParameter %uint
// %entry = OpLabel
// %id = OpLoad %v3ulong %gid Aligned 32
// %i = OpCompositeExtract %ulong %id 0
// %n8 = OpUConvert %ulong %n
// %cmp = OpULessThan %bool %i %n8
// OpBranchConditional %cmp %then %end
// %then = OpLabel
// %at = OpInBoundsPtrAccessChain %ptr %y %i
// %value = OpSelect %uint %WIDE %FACTOR %uint_1
// OpStore %at %value Aligned 4
// OpBranch %end
// %end = OpLabel
// OpReturn
// OpFunctionEnd
#pragma once

#include <cstdint>
#include <string>

namespace attune_test {

inline constexpr std::uint32_t spirv_fill_words[] = {
    0x07230203, 0x00010200, 0x00070000, 0x0000001a, 0x00000000, 0x00020011, 0x00000004, 0x00020011,
    0x00000006, 0x00020011, 0x0000000b, 0x0005000b, 0x00000001, 0x6e65704f, 0x732e4c43, 0x00006474,
    0x0003000e, 0x00000002, 0x00000002, 0x0006000f, 0x00000006, 0x00000002, 0x6c6c6966, 0x00000000,
    0x00000003, 0x00040005, 0x00000004, 0x54434146, 0x0000524f, 0x00040005, 0x00000005, 0x45444957,
    0x00000000, 0x00040047, 0x00000003, 0x0000000b, 0x0000001c, 0x00040047, 0x00000004, 0x00000001,
    0x00000007, 0x00040047, 0x00000005, 0x00000001, 0x00000008, 0x00040015, 0x00000006, 0x00000040,
    0x00000000, 0x00040015, 0x00000007, 0x00000020, 0x00000000, 0x00020014, 0x00000008, 0x0004002b,
    0x00000007, 0x00000009, 0x00000001, 0x00040032, 0x00000007, 0x00000004, 0x00000001, 0x00030030,
    0x00000008, 0x00000005, 0x00040017, 0x0000000a, 0x00000006, 0x00000003, 0x00040020, 0x0000000b,
    0x00000001, 0x0000000a, 0x00020013, 0x0000000c, 0x00040020, 0x0000000d, 0x00000005, 0x00000007,
    0x00050021, 0x0000000e, 0x0000000c, 0x0000000d, 0x00000007, 0x0004003b, 0x0000000b, 0x00000003,
    0x00000001, 0x00050036, 0x0000000c, 0x00000002, 0x00000000, 0x0000000e, 0x00030037, 0x0000000d,
    0x0000000f, 0x00030037, 0x00000007, 0x00000010, 0x000200f8, 0x00000011, 0x0006003d, 0x0000000a,
    0x00000012, 0x00000003, 0x00000002, 0x00000020, 0x00050051, 0x00000006, 0x00000013, 0x00000012,
    0x00000000, 0x00040071, 0x00000006, 0x00000014, 0x00000010, 0x000500b0, 0x00000008, 0x00000015,
    0x00000013, 0x00000014, 0x000400fa, 0x00000015, 0x00000016, 0x00000017, 0x000200f8, 0x00000016,
    0x00050046, 0x0000000d, 0x00000018, 0x0000000f, 0x00000013, 0x000600a9, 0x00000007, 0x00000019,
    0x00000005, 0x00000004, 0x00000009, 0x0005003e, 0x00000018, 0x00000019, 0x00000002, 0x00000004,
    0x000200f9, 0x00000017, 0x000200f8, 0x00000017, 0x000100fd, 0x00010038,
};

inline std::string spirv_fill()
{
    return {reinterpret_cast<char const*>(spirv_fill_words), sizeof spirv_fill_words};
}

} // namespace attune_test
