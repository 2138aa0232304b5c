// bench/space/handwritten_conv3d.hpp - the nest for 20 parameters, three of them derived.
// SPDX-License-Identifier: MIT
#pragma once

#include "handwritten.hpp"

namespace bench {

inline std::size_t conv3d_nest(tables& t)
{
    values const ALGORITHM = t.of("ALGORITHM"), TBX = t.of("TBX"), TBY = t.of("TBY"),
                 TBZ = t.of("TBZ"), LOCAL = t.of("LOCAL"), WPTX = t.of("WPTX"), WPTY = t.of("WPTY"),
                 WPTZ = t.of("WPTZ"), VECTOR = t.of("VECTOR"), UNROLL = t.of("UNROLL_FACTOR"),
                 COEFF = t.of("CONSTANT_COEFF"), CACHE = t.of("CACHE_WORK_TO_REGS"),
                 R1 = t.of("REVERSE_LOOP_ORDER"), R2 = t.of("REVERSE_LOOP_ORDER2"),
                 R3 = t.of("REVERSE_LOOP_ORDER3"), PADDING = t.of("PADDING"),
                 Z = t.of("Z_ITERATIONS"), XL = t.of("TBX_XL"), YL = t.of("TBY_XL"),
                 ZL = t.of("TBZ_XL");
    rows<20> out;
    if (!t.complete()) return 0;
    auto const extended = [](int local, int block, int work) {
        return local == 2 ? block + (2 + work - 1) / work : block;
    };
    // The innermost loops: what depends on the algorithm alone.
    auto const finish = [&](auto alg, auto local, auto tbx, auto tby, auto tbz, auto wptx,
                            auto wpty, auto wptz, auto vec, auto pad, auto xl, auto yl, auto zl) {
        bool const plain = alg.value == 0;
        for (auto const cache : CACHE)
            for (auto const r3 : R3) {
                if (cache.value != 1 && r3.value != 0) continue;
                if (plain && (cache.value != 1 || r3.value != 1)) continue;
                for (auto const r1 : R1)
                    for (auto const r2 : R2) {
                        if (plain && (r1.value != 1 || r2.value != 1)) continue;
                        for (auto const unroll : UNROLL)
                            for (auto const coeff : COEFF) {
                                if (plain && (unroll.value != 1 || coeff.value != 1)) continue;
                                for (auto const z : Z)
                                    if (alg.value == 2 || z.value == 16)
                                        out.add(alg, tbx, tby, tbz, local, wptx, wpty, wptz, vec,
                                                unroll, coeff, cache, r1, r2, r3, pad, z, xl, yl,
                                                zl);
                            }
                    }
            }
    };
    for (auto const local : LOCAL)
        for (auto const tbx : TBX)
            for (auto const wptx : WPTX)
                for (auto const xl : XL) {
                    if (xl.value != extended(local.value, tbx.value, wptx.value)) continue;
                    for (auto const tby : TBY)
                        for (auto const wpty : WPTY)
                            for (auto const yl : YL) {
                                if (yl.value != extended(local.value, tby.value, wpty.value) ||
                                    xl.value * yl.value > 1024)
                                    continue;
                                for (auto const tbz : TBZ)
                                    for (auto const wptz : WPTZ)
                                        for (auto const zl : ZL) {
                                            if (zl.value !=
                                                    extended(local.value, tbz.value, wptz.value) ||
                                                xl.value * yl.value * zl.value > 1024)
                                                continue;
                                            for (auto const alg : ALGORITHM) {
                                                if (alg.value == 2 &&
                                                    (tbz.value != 1 || wptz.value != 1 ||
                                                     local.value == 0))
                                                    continue;
                                                if (alg.value == 0 &&
                                                    (tbx.value != 8 || tby.value != 8 ||
                                                     tbz.value != 1 || wptx.value != 1 ||
                                                     wpty.value != 1 || wptz.value != 1 ||
                                                     local.value != 0))
                                                    continue;
                                                for (auto const pad : PADDING) {
                                                    if (local.value == 0 && pad.value != 0)
                                                        continue;
                                                    int const halo = local.value == 1 ? 2 : 0;
                                                    int const deep =
                                                        alg.value == 2 || local.value == 1 ? 2 : 0;
                                                    if (local.value != 0 &&
                                                        (xl.value * wptx.value + halo + pad.value) *
                                                                (yl.value * wpty.value + halo) *
                                                                (zl.value * wptz.value + deep) * 4 >
                                                            32768)
                                                        continue;
                                                    for (auto const vec : VECTOR) {
                                                        if (wptx.value % vec.value != 0 ||
                                                            (local.value == 2 &&
                                                             2 % vec.value != 0) ||
                                                            (alg.value == 0 && vec.value != 1))
                                                            continue;
                                                        finish(alg, local, tbx, tby, tbz, wptx,
                                                               wpty, wptz, vec, pad, xl, yl, zl);
                                                    }
                                                }
                                            }
                                        }
                            }
                }
    return out.count();
}

using nest = std::size_t (*)(tables&);

/// The nest for the space of this name, or nullptr.
[[nodiscard]] inline nest nest_for(std::string_view name)
{
    if (name == "gemm") return gemm_nest;
    if (name == "hotspot") return hotspot_nest;
    if (name == "expdist") return expdist_nest;
    if (name == "atf_prl_8x8") return prl_nest;
    if (name == "ktt_conv3d") return conv3d_nest;
    return nullptr;
}

} // namespace bench
