#pragma once

// The one place that states the version; CMake and the Python package read it from here.
#define OPWRIGHT_VERSION "0.1.0"
