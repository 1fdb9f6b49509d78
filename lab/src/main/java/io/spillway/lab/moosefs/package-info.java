/** MooseFS, a distributed file system of metadata server, data servers and FUSE clients. */
package io.spillway.lab.moosefs;
