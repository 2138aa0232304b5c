// tests/emulated_cuda/cuda_copies.hpp - copies from memory to shared memory that end when they are waited for.
// SPDX-License-Identifier: MIT
// Source   PTX ISA 8.5, cp.async, cp.async.commit_group, cp.async.wait_group
//
// A generated kernel has these as PTX below #ifdef __CUDA_ARCH__ (device_prelude.hpp). Here the
// target has garbage until its copy is waited for, which is the latest moment that a device has.
#pragma once

extern "C" void* malloc(decltype(sizeof 0));
extern "C" void free(void*);

namespace attune_emulated {

struct pending_copy {
    pending_copy* next;
    void* to;
    void const* from;
    int bytes;
    bool is_inside;
    int group;
};
/// Of one thread of a block: copies, oldest first, and the group that they are put in. Static, as
/// attune_emulated_place is; what is thread_local is shared memory here.
struct copies_of_thread {
    pending_copy* first = nullptr;
    pending_copy* last = nullptr;
    int group = 0;
};
inline copies_of_thread& my_copies()
{
    static copies_of_thread all[1024];
    return all[attune_emulated_place->number];
}

} // namespace attune_emulated

template <int Bytes>
void copy_async_(void* to, void const* from, bool is_inside)
{
    static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16);
    bool const is_aligned = reinterpret_cast<unsigned long long>(to) % Bytes == 0 &&
                            reinterpret_cast<unsigned long long>(from) % Bytes == 0;
    if (!is_aligned) attune_emulated_machine->fault(716);
    __builtin_memset(to, 0xff, Bytes);
    auto* const made =
        static_cast<attune_emulated::pending_copy*>(malloc(sizeof(attune_emulated::pending_copy)));
    attune_emulated::copies_of_thread& mine = attune_emulated::my_copies();
    *made = {nullptr, to, from, Bytes, is_inside, mine.group};
    (mine.last == nullptr ? mine.first : mine.last->next) = made;
    mine.last = made;
}

inline void end_copies_() { ++attune_emulated::my_copies().group; }

template <int But>
void wait_copies_()
{
    attune_emulated::copies_of_thread& mine = attune_emulated::my_copies();
    while (mine.first != nullptr && mine.first->group < mine.group - But) {
        attune_emulated::pending_copy* const done = mine.first;
        if (done->is_inside)
            __builtin_memcpy(done->to, done->from, static_cast<unsigned long>(done->bytes));
        else
            __builtin_memset(done->to, 0, static_cast<unsigned long>(done->bytes));
        mine.first = done->next;
        if (mine.first == nullptr) mine.last = nullptr;
        free(done);
    }
}
