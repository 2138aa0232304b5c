// attune/remember/followed_store.hpp - the file of a store that others write to, looked at again and again.
// SPDX-License-Identifier: MIT
// tested by ship/report/watch.cpp
#pragma once

#include <attune/core/version.hpp>
#include <attune/remember/lines/record_table.hpp>
#include <attune/remember/problem/problem.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace attune::inline ATTUNE_ABI::detail {

class followed_store {
public:
    explicit followed_store(std::string path);
    followed_store(followed_store&&) noexcept;
    followed_store& operator=(followed_store&&) noexcept;
    ~followed_store();

    enum class state { absent, same, changed };

    /// Takes in what was appended since the last call; does not wait.
    /// Errors  attune::error: the file cannot be read, is no store, or of a newer release
    [[nodiscard]] state refresh();

    /// As those of store_content.
    [[nodiscard]] std::vector<listed_problem> problems(std::size_t most);
    [[nodiscard]] problem_history history(listed_problem const& of);

private:
    struct reading;
    std::unique_ptr<reading> reading_;
};

} // namespace attune::inline ATTUNE_ABI::detail

#ifdef ATTUNE_HEADER_ONLY
#include <attune/remember/followed_store.ipp>
#endif
