/** Map outputs on a file system that all hosts share: where they lie, and how they are laid out. */
package io.spillway.ifile.shared;
