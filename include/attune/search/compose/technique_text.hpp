// attune/search/compose/technique_text.hpp - the words in names of techniques, and techniques from their names.
// SPDX-License-Identifier: MIT
// Source   Wu, "DeepTuner", 2015, Sec. 5.2
//
//   name       := meta | technique
//   meta       := root {;setting,value} { blank "{" name "}" }          auc_bandit, round_robin
//   technique  := root {;setting,value} { blank kind;operator;[...] }   a base with operators
//              |  root {;setting,value}                                 a closed technique
//   [...]      := [argument,...,[[setting,value],...]]; what is left out has its default
//   Braces are at most 16 deep, whole numbers at most 1,000,000.
#pragma once

#include <attune/core/random.hpp>
#include <attune/core/version.hpp>
#include <attune/search/compose/closed.hpp>
#include <attune/search/compose/composed.hpp>
#include <attune/search/searcher.hpp>

#include <algorithm>
#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attune::inline ATTUNE_ABI::search {

namespace detail {

/// An operator whose settings can be drawn at random.
template <class Op>
concept drawn_operator = requires(random_engine& engine) {
    { Op::drawn(engine) } -> std::same_as<Op>;
};

struct operator_row {
    std::string name;
    std::string of; ///< the kind that it applies to
    std::function<std::optional<std::string>(setting_texts const&, std::optional<any_operator>&)>
        make;
    std::function<any_operator(random_engine&)> draw; ///< with random settings
};
struct base_row {
    std::string name;
    std::function<std::optional<std::string>(setting_texts const&, shared_base&)> make;
};
struct closed_row {
    std::string name;
    std::function<std::optional<std::string>(setting_texts const&, technique&)> make;
};

/// Returns true if the operator applies to parameters of this kind.
[[nodiscard]] inline bool has_operator(kind_row const& kind, operator_row const& op)
{
    return std::find(kind.lineage.begin(), kind.lineage.end(), op.of) != kind.lineage.end();
}

} // namespace detail

/// The kinds, operators, bases and closed techniques that names may contain.
class vocabulary {
public:
    /// All of attune: this folder and the searches of search/local/.
    vocabulary();

    /// Adds a word of the user: a kind, an operator, a struct that is both, a base, a closed
    /// technique, or the settings of a searcher.
    template <class T>
    vocabulary& add()
    {
        static_assert(kind_with_operators<T> || technique_operator<T> || technique_base<T> ||
                          closed_algorithm<T> || searcher_settings<T>,
                      "attune::search::vocabulary::add<T>(): 'T' is no kind, operator, base, "
                      "closed technique or settings of a searcher");
        if constexpr (kind_with_operators<T>) kinds_.push_back(detail::row_of_kind<T>());
        if constexpr (technique_operator<T>) add_operator<T>();
        if constexpr (technique_base<T>)
            bases_.push_back({std::string(T::name),
                              [](detail::setting_texts const& from, detail::shared_base& out) {
                                  T one{};
                                  auto wrong = detail::take_settings(one, from);
                                  out =
                                      std::make_shared<detail::base_model<T> const>(std::move(one));
                                  return wrong;
                              }});
        if constexpr (closed_algorithm<T> || searcher_settings<T>)
            closed_.push_back(
                {std::string(T::name), [](detail::setting_texts const& from, technique& out) {
                     T one{};
                     auto wrong = detail::take_settings(one, from);
                     out = technique_of(one);
                     return wrong;
                 }});
        return *this;
    }
    /// Adds a search without settings, with the name `one.name`.
    vocabulary& add_search(technique one);

    [[nodiscard]] std::vector<detail::kind_row> const& kinds() const noexcept { return kinds_; }
    [[nodiscard]] std::vector<detail::operator_row> const& operators() const noexcept
    {
        return operators_;
    }
    [[nodiscard]] std::vector<detail::base_row> const& bases() const noexcept { return bases_; }
    [[nodiscard]] std::vector<detail::closed_row> const& closed() const noexcept { return closed_; }

private:
    template <class Op>
    void add_operator()
    {
        using kind = typename detail::kind_of_operator<Op>::type;
        // A struct that is also a kind is an operator of that kind.
        constexpr bool is_own = kind_with_operators<Op>;
        std::string of;
        if constexpr (is_own)
            of = std::string(std::string_view(Op::kind));
        else
            of = std::string(std::string_view(kind::kind));
        operators_.push_back(
            {std::string(Op::name), std::move(of),
             [](detail::setting_texts const& from, std::optional<detail::any_operator>& out) {
                 Op one{};
                 auto wrong = detail::take_settings(one, from);
                 out.emplace(std::move(one));
                 return wrong;
             },
             [](random_engine& engine) {
                 if constexpr (detail::drawn_operator<Op>)
                     return detail::any_operator(Op::drawn(engine));
                 else
                     return detail::any_operator(Op{});
             }});
    }

    std::vector<detail::kind_row> kinds_;
    std::vector<detail::operator_row> operators_;
    std::vector<detail::base_row> bases_;
    std::vector<detail::closed_row> closed_;
};

/// The technique with this name. Its `name` is the full one, with all settings.
/// Errors  attune::error with the place in the name: an unknown word or setting, a value that is no
///         number or too large, an operator that does not apply to the kind or needs more parents
///         than the base promises, more than 16 nested braces
[[nodiscard]] technique parse_technique(std::string_view name, vocabulary const& known = {});

} // namespace attune::inline ATTUNE_ABI::search

#ifdef ATTUNE_HEADER_ONLY
#include <attune/search/compose/technique_text.ipp>
#endif
