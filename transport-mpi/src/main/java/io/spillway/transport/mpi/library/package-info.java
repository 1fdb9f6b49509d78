/**
 * MPI from Java, and memory that processes of a host share: a page of C by JNI, found or compiled
 * on the host, and its Java side. Knows nothing of Spillway's messages.
 *
 * <p>JNI and not the foreign-function API, since that is final from Java 22 on, and Hadoop 3.4 does
 * not run on 22 or later.
 */
package io.spillway.transport.mpi.library;
