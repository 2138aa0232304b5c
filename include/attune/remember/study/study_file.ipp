// attune/remember/study/study_file.ipp - opening, locking, reading on and appending.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/error.hpp>
#include <attune/core/version.hpp>
#include <attune/remember/detail/store_file.hpp>
#include <attune/remember/study/study_file.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

struct study_file::opened {
    store_file file;
};

ATTUNE_INLINE study_file::study_file(std::string path)
    : path_(std::move(path))
{
}

ATTUNE_INLINE bool study_file::take_up_to_end(opened& from, taken const& take)
{
    constexpr std::uint64_t block = std::uint64_t{1} << 20;
    store_file::identity const now = from.file.stamp();
    if (!now.known) {
        why_ = "its size is not known";
        return false;
    }
    bool const is_first = device_ == 0 && number_ == 0;
    auto const size = static_cast<std::uint64_t>(now.bytes);
    if (!is_first && (device_ != now.device || number_ != now.number || size < end_))
        throw error("the file of the study was replaced or cut while processes take part", path_,
                    "begin a study of another name");
    device_ = now.device;
    number_ = now.number;
    std::string text;
    for (std::uint64_t step = block; end_ < size;) {
        auto const length = static_cast<std::size_t>(std::min(step, size - end_));
        if (!from.file.read(end_, length, text)) {
            why_ = from.file.why();
            return false;
        }
        std::size_t const whole = text.rfind('\n') + 1; // 0: none
        if (whole == 0 && length == size - end_) break; // a line that is being written
        if (whole == 0) step *= 2;
        std::string_view rest = std::string_view(text).substr(0, whole);
        end_ += whole; // what take() throws for is not taken again
        while (!rest.empty()) {
            std::size_t const line = rest.find('\n');
            if (line > 0) take(rest.substr(0, line));
            rest.remove_prefix(line + 1);
        }
    }
    return true;
}

ATTUNE_INLINE bool study_file::look(taken const& take)
{
    opened from{store_file::open_to_read(path_)};
    if (!from.file.usable()) {
        why_ = from.file.why();
        return false;
    }
    return take_up_to_end(from, take);
}

ATTUNE_INLINE bool study_file::exchange(taken const& take, made const& make, bool creates)
{
    opened to{creates ? store_file::open_to_append(path_, true)
                      : store_file::open_to_extend(path_)};
    if (!to.file.usable()) {
        why_ = to.file.why();
        return false;
    }
    if (!take_up_to_end(to, take)) return false; // others wait for what is left only
    if (!to.file.lock(store_file::sharing::exclusive)) {
        why_ = to.file.why();
        return false;
    }
    {
        unlocked_at_end const unlocked(to.file);
        if (!take_up_to_end(to, take)) return false;
        std::string text = make();
        if (text.empty()) return true;
        std::uint64_t const end = static_cast<std::uint64_t>(to.file.stamp().bytes);
        // A line whose writer was killed ends here; without a lock one may be in writing.
        if (end > end_ || !to.file.is_locked()) text.insert(0, 1, '\n');
        if (!to.file.append(text, end)) {
            why_ = to.file.why();
            return false;
        }
    }
    return take_up_to_end(to, take);
}

ATTUNE_INLINE std::string who_may_tell(std::string const& path)
{
    store_file const file = store_file::open_to_read(path);
    return file.usable() ? file.by_others() : std::string();
}

} // namespace attune::inline ATTUNE_ABI::detail
