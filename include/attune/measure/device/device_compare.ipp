// attune/measure/device/device_compare.ipp - comparison on the device and on the host.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/version.hpp>
#include <attune/measure/device/device_compare.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// The launch of the comparing kernel, with enough threads to use the memory bandwidth, and so few
/// that reading their results takes no time.
inline constexpr std::uint64_t comparing_block = 128;
inline constexpr std::uint64_t most_comparing_blocks = 256;
inline constexpr std::size_t compared_piece_bytes = std::size_t{8} << 20;
/// Wall seconds after which the device counts as hanging; comparing takes milliseconds.
inline constexpr double comparing_limit_s = 60;

ATTUNE_INLINE device_compare::device_compare(std::shared_ptr<device_session> where,
                                             device_code const& code)
    : where_(std::move(where))
{
    if (code.image.empty()) {
        why_on_host_ = "the comparison was not compiled for the device";
        return;
    }
    try {
        kernel_ = std::make_unique<loaded_variant>(where_, device_variant{code, {}});
        verdicts_.emplace(where_,
                          2 * sizeof(std::uint64_t) * comparing_block * most_comparing_blocks,
                          "room to compare results");
    } catch (stopped const& s) {
        why_on_host_ = s.why.reason;
    }
}

ATTUNE_INLINE void device_compare::fetch(void* to, cuda::device_pointer from, std::size_t bytes)
{
    where_->check(where_->driver().copy_to_host(to, from, bytes), failure_stage::crash,
                  "copying from the device");
}

ATTUNE_INLINE double device_compare::root_mean_square(buffer const& like, cuda::device_pointer at)
{
    if (like.type == element_type::opaque) return 0;
    std::vector<std::byte> piece(std::min(like.bytes, compared_piece_bytes));
    // Like detail::root_mean_square: two passes, in the same order.
    auto const each = [&](auto const& take) {
        for (std::size_t done = 0; done < like.bytes; done += piece.size()) {
            std::size_t const bytes = std::min(piece.size(), like.bytes - done);
            fetch(piece.data(), at + done, bytes);
            take(piece.data(), bytes);
        }
    };
    return with_element_type(like.type, [&](auto one) -> double {
        using T = decltype(one);
        if constexpr (std::is_same_v<T, std::byte>) {
            return 0;
        } else {
            double largest = 0;
            each([&](std::byte const* data, std::size_t bytes) {
                for (std::size_t i = 0; i < bytes / sizeof(T); ++i) {
                    double const size = std::abs(static_cast<double>(element_at<T>(data, i)));
                    if (std::isfinite(size)) largest = std::max(largest, size);
                }
            });
            if (largest == 0) return 0;
            double sum = 0;
            std::size_t finite = 0;
            each([&](std::byte const* data, std::size_t bytes) {
                for (std::size_t i = 0; i < bytes / sizeof(T); ++i) {
                    double const scaled = static_cast<double>(element_at<T>(data, i)) / largest;
                    if (!std::isfinite(scaled)) continue;
                    sum += scaled * scaled;
                    ++finite;
                }
            });
            return largest * std::sqrt(sum / static_cast<double>(finite));
        }
    });
}

ATTUNE_INLINE device_compare::verdict_on_device
device_compare::compare_there(buffer const& like, cuda::device_pointer got,
                              device_reference const& want, device_clock& clock)
{
    std::uint64_t const count = like.bytes / element_bytes(like.type);
    std::uint64_t const blocks = std::clamp<std::uint64_t>(
        (count + comparing_block - 1) / comparing_block, 1, most_comparing_blocks);
    std::uint64_t const threads = blocks * comparing_block;
    cuda::device_pointer mine = got;
    cuda::device_pointer theirs = want.at;
    std::uint64_t elements = count;
    int type = static_cast<int>(like.type);
    tolerance within = like.within;
    double rms = want.rms;
    cuda::device_pointer firsts = verdicts_->address();
    cuda::device_pointer counts = firsts + threads * sizeof(std::uint64_t);
    void* arguments[] = {&mine, &theirs, &elements, &type, &within.absolute, &within.relative,
                         &rms,  &firsts, &counts};
    auto const launch = [&] {
        where_->check(where_->driver().launch_kernel(kernel_->handle(),
                                                     static_cast<unsigned>(blocks), 1, 1,
                                                     static_cast<unsigned>(comparing_block), 1, 1,
                                                     0, clock.stream(), arguments, nullptr),
                      failure_stage::launch, "comparing");
    };
    clock.time(launch, comparing_limit_s);
    std::vector<std::uint64_t> said(2 * threads);
    fetch(said.data(), firsts, said.size() * sizeof(std::uint64_t));
    verdict_on_device out{count, 0};
    for (std::uint64_t t = 0; t < threads; ++t) {
        out.first = std::min(out.first, said[t]);
        out.differing += said[threads + t];
    }
    return out;
}

ATTUNE_INLINE std::optional<mismatch> device_compare::compare_here(buffer const& like,
                                                                   cuda::device_pointer got,
                                                                   device_reference const& want)
{
    std::vector<std::byte> mine(std::min(like.bytes, compared_piece_bytes));
    std::vector<std::byte> theirs(want.place == memory_place::device ? mine.size() : 0);
    std::optional<mismatch> out;
    for (std::size_t done = 0; done < like.bytes; done += mine.size()) {
        std::size_t const bytes = std::min(mine.size(), like.bytes - done);
        fetch(mine.data(), got + done, bytes);
        auto const* reference = reinterpret_cast<std::byte const*>(want.at) + done;
        if (want.place == memory_place::device) {
            fetch(theirs.data(), want.at + done, bytes);
            reference = theirs.data();
        }
        if (std::memcmp(mine.data(), reference, bytes) == 0) continue;
        with_element_type(like.type, [&](auto one) {
            using T = decltype(one);
            for (std::size_t i = 0; i < bytes / sizeof(T); ++i) {
                T const a = element_at<T>(mine.data(), i);
                T const b = element_at<T>(reference, i);
                if (agrees(a, b, like.within, want.rms)) continue;
                if (!out)
                    out = mismatch{like.argument,
                                   done / sizeof(T) + i,
                                   element_text(a),
                                   element_text(b),
                                   0,
                                   like.bytes / sizeof(T),
                                   like.target,
                                   {}};
                ++out->count;
            }
        });
    }
    return out;
}

ATTUNE_INLINE std::optional<mismatch>
device_compare::compare_fields_here(buffer const& like, cuda::device_pointer got,
                                    device_reference const& want)
{
    std::vector<std::byte> mine(like.bytes);
    fetch(mine.data(), got, mine.size());
    std::vector<std::byte> theirs(like.bytes);
    if (want.place == memory_place::device)
        fetch(theirs.data(), want.at, theirs.size());
    else
        std::memcpy(theirs.data(), reinterpret_cast<std::byte const*>(want.at), theirs.size());
    buffer here = like;
    here.data = mine.data();
    return attune::detail::compare(here, theirs);
}

ATTUNE_INLINE std::optional<mismatch> device_compare::compare(buffer const& like,
                                                              cuda::device_pointer got,
                                                              device_reference const& want,
                                                              device_clock& clock)
{
    if (like.bytes == 0 || (like.run_count == 0 && like.within.any)) return {};
    if (like.run_count > 0) return compare_fields_here(like, got, want);
    std::size_t const width = element_bytes(like.type);
    bool const is_aligned = got % width == 0 && want.at % width == 0;
    bool const is_known_there = like.type <= element_type::u64;
    if (!kernel_ || !is_aligned || !is_known_there || want.place != memory_place::device)
        return compare_here(like, got, want);
    verdict_on_device found;
    try {
        found = compare_there(like, got, want, clock);
    } catch (stopped const& s) {
        // An error of attune's kernel does not fail the variant.
        why_on_host_ = s.why.reason;
        kernel_.reset();
        where_->require_alive();
        return compare_here(like, got, want);
    }
    if (found.differing == 0) return {};
    mismatch out{like.argument,
                 static_cast<std::size_t>(found.first),
                 {},
                 {},
                 static_cast<std::size_t>(found.differing),
                 like.bytes / width,
                 like.target,
                 {}};
    std::byte bytes[2][sizeof(long double)] = {}; // room for the largest element
    fetch(bytes[0], got + found.first * width, width);
    fetch(bytes[1], want.at + found.first * width, width);
    with_element_type(like.type, [&](auto sample) {
        using T = decltype(sample);
        out.got = element_text(element_at<T>(bytes[0], 0));
        out.want = element_text(element_at<T>(bytes[1], 0));
    });
    return out;
}

} // namespace attune::inline ATTUNE_ABI::detail
