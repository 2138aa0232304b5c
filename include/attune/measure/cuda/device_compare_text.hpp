// attune/measure/cuda/device_compare_text.hpp - the text of a kernel that compares arrays.
// SPDX-License-Identifier: MIT
//
// The rule is that of measure/arrays/compare.hpp; tests compare both.
#pragma once

#include <attune/core/version.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr std::string_view device_compare_entry = "attune_compare";

/// The types of the kernel's arguments, as text. `type` is an element_type. Each thread writes the
/// index of its first mismatch (`count`: none) and its number of mismatches.
[[nodiscard]] inline std::vector<std::string> device_compare_arguments()
{
    return {"unsigned char const*", // got
            "unsigned char const*", // want
            "unsigned long long",   // count, of elements
            "int",                  // type
            "double",               // tolerance: absolute
            "double",               // tolerance: relative
            "double",               // root mean square of the reference
            "unsigned long long*",  // first, of each thread
            "unsigned long long*"}; // differing, of each thread
}

/// CUDA without atomics, shared memory and headers, so that it also compiles as plain C++. Blocks
/// and grid have one dimension.
inline constexpr std::string_view device_compare_text = R"cuda(
template <class T>
__device__ bool attune_agree(T got, T want, double absolute, double relative, double rms, T largest)
{
    if (got == want) return true;
    if (got != got || want != want) return got != got && want != want;
    if (got > largest || got < -largest || want > largest || want < -largest) return false;
    double const mine = static_cast<double>(got);
    double const target = static_cast<double>(want);
    double const distance = mine < target ? target - mine : mine - target;
    double const size = target < 0 ? -target : target;
    return distance <= absolute + relative * (size < rms ? rms : size);
}

template <class T>
__device__ bool attune_agree_exactly(T got, T want, double absolute, double relative, double rms)
{
    if (got == want) return true;
    unsigned long long const a = static_cast<unsigned long long>(got);
    unsigned long long const b = static_cast<unsigned long long>(want);
    double const distance = static_cast<double>(got < want ? b - a : a - b);
    double const target = static_cast<double>(want);
    double const size = target < 0 ? -target : target;
    return distance <= absolute + relative * (size < rms ? rms : size);
}

struct attune_floats {
    float const* got;
    float const* want;
    double absolute, relative, rms;
    __device__ bool operator()(unsigned long long i) const
    {
        return attune_agree<float>(got[i], want[i], absolute, relative, rms, 3.402823466e+38f);
    }
};

struct attune_doubles {
    double const* got;
    double const* want;
    double absolute, relative, rms;
    __device__ bool operator()(unsigned long long i) const
    {
        return attune_agree<double>(
            got[i], want[i], absolute, relative, rms, 1.7976931348623157e+308);
    }
};

template <class T>
struct attune_integers {
    T const* got;
    T const* want;
    double absolute, relative, rms;
    __device__ bool operator()(unsigned long long i) const
    {
        return attune_agree_exactly<T>(got[i], want[i], absolute, relative, rms);
    }
};

template <class Agree>
__device__ void attune_look(Agree agree,
                            unsigned long long count,
                            unsigned long long* first,
                            unsigned long long* differing)
{
    unsigned long long const me =
        static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    unsigned long long const stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    unsigned long long at = count;
    unsigned long long differ = 0;
    for (unsigned long long i = me; i < count; i += stride) {
        if (agree(i)) continue;
        if (differ == 0) at = i;
        ++differ;
    }
    first[me] = at;
    differing[me] = differ;
}

template <class T>
__device__ void attune_look_at_integers(unsigned char const* got,
                                        unsigned char const* want,
                                        unsigned long long count,
                                        double absolute,
                                        double relative,
                                        double rms,
                                        unsigned long long* first,
                                        unsigned long long* differing)
{
    attune_integers<T> const agree = {reinterpret_cast<T const*>(got),
                                      reinterpret_cast<T const*>(want),
                                      absolute,
                                      relative,
                                      rms};
    attune_look(agree, count, first, differing);
}

extern "C" __global__ void attune_compare(unsigned char const* got,
                                          unsigned char const* want,
                                          unsigned long long count,
                                          int type,
                                          double absolute,
                                          double relative,
                                          double rms,
                                          unsigned long long* first,
                                          unsigned long long* differing)
{
    if (type == 1) {
        attune_floats const agree = {reinterpret_cast<float const*>(got),
                                     reinterpret_cast<float const*>(want),
                                     absolute,
                                     relative,
                                     rms};
        attune_look(agree, count, first, differing);
    } else if (type == 2) {
        attune_doubles const agree = {reinterpret_cast<double const*>(got),
                                      reinterpret_cast<double const*>(want),
                                      absolute,
                                      relative,
                                      rms};
        attune_look(agree, count, first, differing);
    }
#define ATTUNE_LOOK(number, T)                                                                     \
    else if (type == number) attune_look_at_integers<T>(                                           \
        got, want, count, absolute, relative, rms, first, differing);
    ATTUNE_LOOK(3, signed char)
    ATTUNE_LOOK(4, unsigned char)
    ATTUNE_LOOK(5, short)
    ATTUNE_LOOK(6, unsigned short)
    ATTUNE_LOOK(7, int)
    ATTUNE_LOOK(8, unsigned int)
    ATTUNE_LOOK(9, long long)
    ATTUNE_LOOK(10, unsigned long long)
#undef ATTUNE_LOOK
    else attune_look_at_integers<unsigned char>(got, want, count, 0, 0, 0, first, differing);
}
)cuda";

} // namespace attune::inline ATTUNE_ABI::detail
