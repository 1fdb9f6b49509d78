/** Arithmetic of checksums. */
package io.spillway.checksum;
