#ifndef COUNTERSIGN_HUGE_PAGES_H
#define COUNTERSIGN_HUGE_PAGES_H

/// Says that the calling thread hashes: from now on, large pieces of memory that it maps are in huge pages, where the system has some.
///
/// Nothing else of the thread and no other thread is changed. It does nothing on systems other than Linux, and in programs that are checked
/// by a sanitizer.
void countersign_thread_maps_huge_pages(void);

/// How many pieces of memory the calling thread has mapped so.
long countersign_huge_mappings(void);

#endif
