// attune/unit/networks.hpp - the definitions of declare/model/: networks of layers.
// SPDX-License-Identifier: MIT
//
// Included by exactly one translation unit of the compiled form: that of the CMake target
// attune::networks. With ATTUNE_HEADER_ONLY no file includes it.
#pragma once

#include <attune/declare/model/convolution.ipp>
#include <attune/declare/model/layers.ipp>
#include <attune/declare/model/lower_quantity.ipp>
#include <attune/declare/model/network.ipp>
#include <attune/declare/model/quantity.ipp>
#include <attune/declare/model/roofline.ipp>
