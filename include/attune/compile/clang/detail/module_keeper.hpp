// attune/compile/clang/detail/module_keeper.hpp - keeps parsed headers in the cache of compiled code.
// SPDX-License-Identifier: MIT
#pragma once

#include <attune/compile/cache/object_cache.hpp>
#include <attune/compile/clang/abi.hpp>
#include <attune/core/hash.hpp>
#include <attune/core/version.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace attune::inline ATTUNE_ABI::detail {

/// The keeper of one call of the module's compile(). Its functions do not throw.
class headers_keeper {
public:
    /// @param facts     identifies the module: only the same module can read its parsed headers
    /// @param began_ns  start of the call, ns of the system clock
    headers_keeper(object_cache const& cache, std::string facts, std::int64_t began_ns)
        : cache_(cache)
        , facts_(std::move(facts))
        , began_ns_(began_ns)
    {
    }
    headers_keeper(headers_keeper const&) = delete;
    headers_keeper& operator=(headers_keeper const&) = delete;

    [[nodiscard]] attune_clang_keeper const* functions() const noexcept { return &functions_; }

private:
    [[nodiscard]] std::string key_of(char const* key) const
    {
        return content_hash{}.add("parsed headers").add(facts_).add(key).hex();
    }
    static unsigned char const* find(void* self, char const* key, unsigned long* size)
    {
        try {
            auto& keeper = *static_cast<headers_keeper*>(self);
            keeper.found_ = keeper.cache_.look(keeper.key_of(key));
            if (!keeper.found_) return nullptr;
            *size = keeper.found_->bytes.size();
            return reinterpret_cast<unsigned char const*>(keeper.found_->bytes.data());
        } catch (...) {
            return nullptr;
        }
    }
    static void keep(void* self, char const* key, unsigned char const* bytes, unsigned long size,
                     char const* const* read, unsigned long read_count, char const* const* missed,
                     unsigned long missed_count)
    {
        try {
            auto const& keeper = *static_cast<headers_keeper*>(self);
            cache_inputs inputs;
            inputs.read.assign(read, read + read_count);
            inputs.missed.assign(missed, missed + missed_count);
            inputs.began_ns = keeper.began_ns_;
            (void)keeper.cache_.add(keeper.key_of(key),
                                    {reinterpret_cast<char const*>(bytes), size}, inputs);
        } catch (...) {
            return; // the next process parses the headers again
        }
    }

    object_cache const& cache_;
    std::string facts_;
    std::int64_t began_ns_;
    std::optional<cached_bytes> found_{};
    attune_clang_keeper functions_{this, &find, &keep};
};

} // namespace attune::inline ATTUNE_ABI::detail
