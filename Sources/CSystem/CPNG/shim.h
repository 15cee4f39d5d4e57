#include <png.h>

// Macros that Swift does not read.
static const unsigned int CPNG_IMAGE_VERSION = PNG_IMAGE_VERSION;
static const unsigned int CPNG_FORMAT_RGBA = PNG_FORMAT_RGBA;
