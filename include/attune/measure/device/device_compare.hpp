// attune/measure/device/device_compare.hpp - compares results on the device with a reference.
// SPDX-License-Identifier: MIT
//
// The rule is that of measure/arrays/compare.hpp; tests compare both.
#pragma once

#include <attune/core/version.hpp>
#include <attune/cuda/code.hpp>
#include <attune/cuda/driver.hpp>
#include <attune/measure/arrays/buffer.hpp>
#include <attune/measure/arrays/compare.hpp>
#include <attune/measure/device/device_call.hpp>
#include <attune/measure/device/device_runs.hpp>
#include <attune/measure/device/device_session.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

inline constexpr std::string_view device_compare_entry = "attune_compare";

/// The types of the kernel's arguments, as text. `type` is an element_type. Each thread writes the
/// index of its first mismatch (`count` if none) and its number of mismatches.
[[nodiscard]] inline std::vector<std::string> device_compare_arguments()
{
    return {"unsigned char const*", // result
            "unsigned char const*", // reference
            "unsigned long long",   // number of elements
            "int",                  // type
            "double",               // tolerance: absolute
            "double",               // tolerance: relative
            "double",               // root mean square of the reference
            "unsigned long long*",  // first mismatch of each thread
            "unsigned long long*"}; // number of mismatches of each thread
}

/// CUDA without atomics, shared memory and headers: it also compiles as plain C++. Blocks and grid
/// have one dimension.
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

struct device_reference {
    memory_place place = memory_place::device;
    std::uintptr_t at = 0; ///< its address
    double rms = 0;        ///< see root_mean_square(); unused when the relative tolerance is 0
};

/// Compares with attune's own kernel. If that kernel is missing or does not work, compares on the
/// host piece by piece. All functions need the session's context to be current and the device to be
/// idle.
class device_compare {
public:
    /// @param code  device_compare_text, compiled; without an image, the host compares
    /// Errors   attune::error: out of memory
    device_compare(std::shared_ptr<device_session> where, device_code const& code);

    /// Root mean square of the finite elements of an array on the device. The host computes it, so
    /// it equals that of compare() to the last bit.
    /// @param like  type and size of the array
    /// Errors   `stopped`
    [[nodiscard]] double root_mean_square(buffer const& like, cuda::device_pointer at);

    /// The first mismatch and the number of mismatches.
    /// @param like  type, size and tolerance of the array
    /// Errors   `stopped`
    [[nodiscard]] std::optional<mismatch> compare(buffer const& like, cuda::device_pointer got,
                                                  device_reference const& want,
                                                  device_clock& clock);

    /// The reason why the host compares; empty while the device does.
    [[nodiscard]] std::string const& why_on_host() const noexcept { return why_on_host_; }

private:
    struct verdict_on_device {
        std::uint64_t first = 0; ///< index; the number of elements when none differs
        std::uint64_t differing = 0;
    };

    [[nodiscard]] verdict_on_device compare_there(buffer const& like, cuda::device_pointer got,
                                                  device_reference const& want,
                                                  device_clock& clock);
    [[nodiscard]] std::optional<mismatch> compare_here(buffer const& like, cuda::device_pointer got,
                                                       device_reference const& want);
    [[nodiscard]] std::optional<mismatch>
    compare_fields_here(buffer const& like, cuda::device_pointer got, device_reference const& want);
    void fetch(void* to, cuda::device_pointer from, std::size_t bytes);

    std::shared_ptr<device_session> where_;
    std::unique_ptr<loaded_variant> kernel_{};
    std::optional<device_memory> verdicts_{};
    std::string why_on_host_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/measure/device/device_compare.ipp>
#endif
