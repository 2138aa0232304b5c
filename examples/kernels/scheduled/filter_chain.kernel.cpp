// Three filters of eight taps one after another, in blocks. Every stage may be fused with the next,
// keep its input in a buffer, be unrolled, have the taps outside, be split in even and odd samples:
// 17 decisions. All buffers together fit into 24 KiB, or the code does not compile.
#include <attune/tunable.hpp>

#include <algorithm>
#include <span>

constexpr int block = ATTUNE_TUNABLE(BLOCK, 256); // samples at once
constexpr bool buffered[] = {ATTUNE_TUNABLE(BUFFER_0, false), ATTUNE_TUNABLE(BUFFER_1, false),
                             ATTUNE_TUNABLE(BUFFER_2, false)};
constexpr bool unrolled[] = {ATTUNE_TUNABLE(UNROLL_0, false), ATTUNE_TUNABLE(UNROLL_1, false),
                             ATTUNE_TUNABLE(UNROLL_2, false)};
constexpr bool taps_outside[] = {ATTUNE_TUNABLE(TAPS_OUTSIDE_0, false),
                                 ATTUNE_TUNABLE(TAPS_OUTSIDE_1, false),
                                 ATTUNE_TUNABLE(TAPS_OUTSIDE_2, false)};
constexpr bool split[] = {ATTUNE_TUNABLE(SPLIT_0, false), ATTUNE_TUNABLE(SPLIT_1, false),
                          ATTUNE_TUNABLE(SPLIT_2, false)};
constexpr bool backwards[] = {ATTUNE_TUNABLE(BACKWARDS_0, false),
                              ATTUNE_TUNABLE(BACKWARDS_1, false),
                              ATTUNE_TUNABLE(BACKWARDS_2, false)};
constexpr bool fused[] = {ATTUNE_TUNABLE(FUSE_0, false), ATTUNE_TUNABLE(FUSE_1, false), false};

constexpr int taps = 8;
constexpr int stages = 3;

/// Samples that stage s reads for a block: those of the stages fused behind it, and its own tail.
constexpr int reads(int s) { return block + taps - 1 + (fused[s] ? reads(s + 1) - block : 0); }
constexpr int bytes = [] {
    int out = 0;
    for (int s = 0; s < stages; ++s)
        out +=
            4 * reads(s) * (buffered[s] + fused[s]); // a copy of the input; what goes to the next
    return out;
}();
static_assert(bytes <= 24 * 1024, "the buffers are too large");

/// out[n] = sum over t of filter[t] in[n + t] for n < count.
template <int S>
inline void stage(float const* in, float const* filter, float* __restrict out, int count)
{
    float copy[buffered[S] ? reads(S) : 1];
    if constexpr (buffered[S]) {
        std::copy(in, in + count + taps - 1, copy);
        in = copy;
    }
    constexpr int step = split[S] ? 2 : 1;
    auto const sum = [&](int n) {
        float total = 0;
        if constexpr (unrolled[S]) {
#pragma clang loop unroll(full)
            for (int t = 0; t < taps; ++t)
                total += filter[t] * in[n + t];
        } else {
#pragma clang loop unroll(disable)
            for (int t = 0; t < taps; ++t)
                total += filter[t] * in[n + t];
        }
        out[n] = total;
    };
    if constexpr (taps_outside[S]) {
        std::fill(out, out + count, 0.0f);
        for (int t = 0; t < taps; ++t)
            for (int first = 0; first < step; ++first)
                for (int n = first; n < count; n += step)
                    out[n] += filter[t] * in[n + t];
    } else if constexpr (backwards[S]) {
        for (int first = 0; first < step; ++first)
            for (int n = count - 1 - first; n >= 0; n -= step)
                sum(n);
    } else
        for (int first = 0; first < step; ++first)
            for (int n = first; n < count; n += step)
                sum(n);
}

/// Stages from S on that are fused, of one block.
template <int S>
inline void fused_stages(float const* in, float const* filters, float* out, int count)
{
    if constexpr (!fused[S]) {
        stage<S>(in, filters + S * taps, out, count);
    } else {
        float between[reads(S)];
        stage<S>(in, filters + S * taps, between, count + reads(S) - taps + 1 - block);
        fused_stages<S + 1>(between, filters, out, count);
    }
}

/// From stage S on: each group of fused stages over all samples.
template <int S>
inline void all_stages(float const* in, float const* filters, float* work, float* out, int count)
{
    constexpr int next = S + 1 + fused[S] + (fused[S] && fused[S + 1]);
    constexpr bool is_last = next == stages;
    int const made = count + (stages - next) * (taps - 1);
    float* const to = is_last ? out : work;
    for (int n = 0; n < made; n += block)
        fused_stages<S>(in + n, filters, to + n, std::min(block, made - n));
    if constexpr (!is_last) all_stages<next>(work, filters, work + made, out, count);
}

void filter_chain(std::span<float const> in, std::span<float const> filters, std::span<float> work,
                  std::span<float> out, int count)
{
    all_stages<0>(in.data(), filters.data(), work.data(), out.data(), count);
}
