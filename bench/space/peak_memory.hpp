// bench/space/peak_memory.hpp - how many bytes are in use at most between two moments.
// SPDX-License-Identifier: MIT
//
// Replaces the global operator new, so it belongs into one source file of a program. Counts what
// malloc hands out, which is what was asked for and the padding; one thread.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace bench {

inline std::size_t bytes_in_use = 0;
inline std::size_t most_bytes_in_use = 0;

/// The largest number of bytes in use since it was made, less those in use then.
class peak_memory {
public:
    peak_memory() { most_bytes_in_use = before_ = bytes_in_use; }
    [[nodiscard]] std::size_t bytes() const noexcept { return most_bytes_in_use - before_; }

private:
    std::size_t before_ = 0;
};

inline void* counted(void* made)
{
    if (made == nullptr) throw std::bad_alloc();
    bytes_in_use += ::malloc_usable_size(made);
    if (bytes_in_use > most_bytes_in_use) most_bytes_in_use = bytes_in_use;
    return made;
}
inline void uncounted(void* gone) noexcept
{
    if (gone != nullptr) bytes_in_use -= ::malloc_usable_size(gone);
    std::free(gone);
}

} // namespace bench

void* operator new(std::size_t size) { return bench::counted(std::malloc(size)); }
void* operator new(std::size_t size, std::align_val_t to)
{
    std::size_t const step = static_cast<std::size_t>(to);
    return bench::counted(std::aligned_alloc(step, (size + step - 1) / step * step));
}
void operator delete(void* gone) noexcept { bench::uncounted(gone); }
void operator delete(void* gone, std::size_t) noexcept { bench::uncounted(gone); }
void operator delete(void* gone, std::align_val_t) noexcept { bench::uncounted(gone); }
void operator delete(void* gone, std::size_t, std::align_val_t) noexcept { bench::uncounted(gone); }
