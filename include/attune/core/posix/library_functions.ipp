// attune/core/posix/library_functions.ipp - calls the loader.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/core/posix/library_functions.hpp>

#include <dlfcn.h>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

ATTUNE_INLINE library_functions::library_functions(std::string name)
    : name_(std::move(name))
    , handle_(::dlopen(name_.c_str(), RTLD_NOW | RTLD_LOCAL))
{
    if (handle_ != nullptr) return;
    char const* const words = ::dlerror();
    why_none_ = words != nullptr ? words : name_;
}

ATTUNE_INLINE void* library_functions::find(char const* symbol) noexcept
{
    void* const found = ::dlsym(handle_, symbol);
    if (any_ == nullptr) any_ = found;
    return found;
}

ATTUNE_INLINE std::string library_functions::path() const
{
    Dl_info of{};
    bool const is_named = any_ != nullptr && ::dladdr(any_, &of) != 0 && of.dli_fname != nullptr;
    return is_named ? of.dli_fname : name_;
}

ATTUNE_INLINE void library_functions::close() noexcept
{
    if (handle_ != nullptr) ::dlclose(std::exchange(handle_, nullptr));
}

} // namespace attune::inline ATTUNE_ABI::detail
