// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

/** What a source knows of a segment: its bytes, or where else they are. */
public sealed interface SegmentAnswer permits ServedSegment, SegmentPlaces {}
