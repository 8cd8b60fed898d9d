//! Where bytes come from: a file mapped into memory, a gzip file unpacked, standard input, or bytes handed in.

use std::fs::File;
use std::io::Read;
use std::ops::Deref;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use memmap2::Mmap;

use crate::error::{Error, Result};

/// The bytes of one input and the name it has in messages.
#[derive(Debug)]
pub struct Source {
    name: String,
    bytes: Bytes,
}

#[derive(Debug)]
enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl Source {
    /// Opens `path`; `-` is standard input. Gzip is recognised by its first two bytes, not by the name.
    pub fn open(path: &str) -> Result<Self> {
        if path == "-" {
            let mut owned = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut owned);
            read.map_err(|e| Error::new("standard input", format!("cannot be read ({e})")))?;
            refuse_packed("standard input", &owned)?;
            return Self::from_bytes("standard input", owned);
        }
        let file = File::open(path).map_err(|e| cannot_open(path, &e))?;
        let about = file.metadata().map_err(|e| cannot_open(path, &e))?;
        if about.is_dir() {
            return Err(Error::new(path, "is a directory, not a file"));
        }
        if !about.is_file() {
            // A pipe or a device cannot be mapped.
            let mut owned = Vec::new();
            let mut file = file;
            file.read_to_end(&mut owned).map_err(|e| cannot_open(path, &e))?;
            refuse_packed(path, &owned)?;
            return Self::from_bytes(path, owned);
        }
        if about.len() == 0 {
            return Self::from_bytes(path, Vec::new());
        }
        // SAFETY: mapping is what lets a file be read without a copy. Another process that truncates the file
        // meanwhile would end this one; the same holds for every reader that maps.
        #[allow(unsafe_code)]
        let mapped = unsafe { Mmap::map(&file) }.map_err(|e| cannot_open(path, &e))?;
        refuse_packed(path, &mapped)?;
        if is_gzip(&mapped) {
            return Ok(Self { name: path.into(), bytes: Bytes::Owned(unpack(path, &mapped)?) });
        }
        Ok(Self { name: path.into(), bytes: Bytes::Mapped(mapped) })
    }

    /// Bytes already in memory; unpacked if they are gzip.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Self> {
        let name = name.into();
        let bytes = if is_gzip(&bytes) { unpack(&name, &bytes)? } else { bytes };
        Ok(Self { name, bytes: Bytes::Owned(bytes) })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text without a leading byte order mark.
    pub fn text(&self) -> &[u8] {
        let all: &[u8] = self;
        all.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(all)
    }
}

impl Deref for Source {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped(map) => map,
            Bytes::Owned(vec) => vec,
        }
    }
}

fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Beginnings of files that other programs packed; none of them is text.
const PACKED: [(&str, &[u8]); 4] = [("zip", b"PK\x03\x04"), ("xz", b"\xFD7zXZ\0"), ("zstd", b"\x28\xB5\x2F\xFD"), ("bzip2", b"BZh91AY&SY")];

fn refuse_packed(name: &str, bytes: &[u8]) -> Result<()> {
    match PACKED.iter().find(|(_, beginning)| bytes.starts_with(beginning)) {
        Some((packer, _)) => {
            Err(Error::new(name, format!("is packed with {packer}")).hint("unpack it first; gzip alone is read as it is."))
        }
        None => Ok(()),
    }
}

fn unpack(name: &str, packed: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(packed.len().saturating_mul(4));
    match MultiGzDecoder::new(packed).read_to_end(&mut out) {
        Ok(_) => Ok(out),
        Err(e) => Err(Error::new(name, format!("the gzip data are damaged or cut off after {} bytes of text ({e})", out.len()))
            .hint("copy or download the file again, and test it with `gzip -t`.")),
    }
}

fn cannot_open(path: &str, error: &std::io::Error) -> Error {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => {
            let hint = match Path::new(path).parent() {
                Some(parent) if !parent.as_os_str().is_empty() && !parent.exists() => {
                    format!("there is no folder {} either; check the path.", parent.display())
                }
                _ => "check the path; `-` reads standard input.".to_string(),
            };
            Error::new(path, "no such file").hint(hint)
        }
        ErrorKind::PermissionDenied => Error::new(path, "no permission to read this file"),
        _ => Error::new(path, format!("cannot be read ({error})")),
    }
}
