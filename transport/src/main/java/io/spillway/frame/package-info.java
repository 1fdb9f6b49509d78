/**
 * The codec of all frames: of the protocol between clients and nodes, of the control protocol, of
 * the placement service and of MPI's messages.
 *
 * <p>A protocol is a table of its {@link io.spillway.frame.FrameKind}s in a {@link
 * io.spillway.frame.FrameSet}, with a {@link io.spillway.frame.FrameForm} that says what headers
 * have behind type and version. One descriptor class a layout names the fields and their bounds: it
 * writes them by a {@link io.spillway.frame.FrameWriter}, or into the caller's memory on the way of
 * the data, and reads them by a {@link io.spillway.frame.FrameReader}, which checks each length
 * against what has come before it takes memory. All errors have one text: {@code TYPE frame:
 * field=value, expected bounds}.
 */
package io.spillway.frame;
